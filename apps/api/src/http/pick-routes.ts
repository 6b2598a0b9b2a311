import type { Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';

type Controller = abstract new (...dependencies: never[]) => object;

/**
 * Returns a base class with only the named routes of another controller, like `PickType` for request properties.
 * Operator controllers extend it, so a new route for secret keys becomes available to operators only when its name is
 * added. A route that the subclass overrides must also be named if the override calls `super`.
 */
export function PickRoutes<Base extends Controller>(
  controller: Base,
  routes: readonly (keyof InstanceType<Base>)[],
): Base {
  const base = controller as unknown as Type<object>;
  const named = new Set<PropertyKey>(routes);
  class Picked extends base {}
  for (const name of routeNames(base.prototype as object)) {
    // Nest registers every inherited method that has a route. The value undefined hides the method.
    if (!named.has(name)) Object.defineProperty(Picked.prototype, name, { value: undefined });
  }
  return Picked as unknown as Base;
}

const routeNames = (prototype: object): string[] =>
  new MetadataScanner()
    .getAllMethodNames(prototype)
    .filter((name) => Reflect.hasMetadata(METHOD_METADATA, (prototype as Record<string, object>)[name]!));
