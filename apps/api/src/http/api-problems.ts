import { SetMetadata } from '@nestjs/common';
import type { ErrorCode } from '@gatehouse/domain';

export const API_PROBLEMS = Symbol('problems of a route');

/**
 * Documents the errors that a route's own work can end with. What the guards and the reading of input refuse is
 * documented by `problemCodes` for every route.
 */
export const ApiProblems = (...codes: ErrorCode[]): MethodDecorator => SetMetadata(API_PROBLEMS, codes);
