import { SetMetadata } from '@nestjs/common';
import type { ErrorCode } from '@gatehouse/domain';

export const API_PROBLEMS = Symbol('problems of a route');

/**
 * Documents the errors that a route's handler can return. `problemCodes` documents the errors from guards and input
 * validation for every route.
 */
export const ApiProblems = (...codes: ErrorCode[]): MethodDecorator => SetMetadata(API_PROBLEMS, codes);
