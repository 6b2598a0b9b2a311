import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';

interface RegisteredMethods {
  methods: Record<string, boolean>;
  path: string;
}

interface RouterLayer {
  route?: RegisteredMethods;
  match: (path: string) => boolean;
}

/** A registered route: its method in uppercase and its path pattern. */
export interface RegisteredRoute {
  method: string;
  path: string;
}

const routerLayers = (app: Express): RouterLayer[] =>
  (app.router.stack as unknown as RouterLayer[]).filter((layer) => layer.route);

/** Returns all routes that are registered in Express, for checks that iterate over them. */
export const registeredRoutes = (app: Express): RegisteredRoute[] =>
  routerLayers(app).flatMap((layer) => {
    const { methods, path } = layer.route!;
    return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }));
  });

/** Returns middleware that responds with 404 or 405 before a body is read. Express never returns 405. */
export function routeGate(app: Express): RequestHandler {
  let allowedMethods: ((path: string) => string[]) | undefined;
  return (request: Request, _response: Response, next: NextFunction) => {
    allowedMethods ??= methodIndex(routerLayers(app));
    const allowed = allowedMethods(request.path);
    if (allowed.length === 0) {
      const nearest = nearestPaths(request.path).find((path) => allowedMethods!(path).length > 0);
      const hint = nearest ? `Did you mean ${nearest}?` : 'The API reference lists all routes.';
      throw new GatehouseError('not_found', { detail: `There is no such route. ${hint}` });
    }
    if (!allowed.includes(request.method)) {
      const methods = allowed.join(', ');
      throw new GatehouseError('method_not_allowed', {
        detail: `This path supports ${methods}, not ${request.method}.`,
        headers: { Allow: methods },
      });
    }
    next();
  };
}

/**
 * Returns suggestions for an unknown path: the path without trailing slashes, its variants in the two route
 * families, and the plural of each.
 */
function nearestPaths(path: string): string[] {
  const trimmed = path.replace(/\/+$/, '');
  const name = trimmed.replace(/^(\/api)?(\/v1)?\//, '');
  const singular = [trimmed, `/api/v1/${name}`, `/v1/${name}`];
  return [...singular, ...singular.map((candidate) => `${candidate}s`)].filter(
    (candidate) => candidate !== path,
  );
}

/**
 * Returns a function that returns a path's methods. Most paths have no parameters, and are looked up instead of
 * matched.
 */
function methodIndex(layers: RouterLayer[]): (path: string) => string[] {
  const literalPaths = new Map<string, string[]>();
  const patterns = layers.filter(({ route }) => route!.path.includes(':'));
  for (const { route } of layers.filter((layer) => !patterns.includes(layer))) {
    literalPaths.set(route!.path, [...(literalPaths.get(route!.path) ?? []), ...listMethods(route!)]);
  }
  return (path) =>
    literalPaths.get(path) ??
    patterns.filter((layer) => layer.match(path)).flatMap(({ route }) => listMethods(route!));
}

/** Returns the methods in uppercase. A route that supports GET also supports HEAD. */
function listMethods({ methods }: RegisteredMethods): string[] {
  const names = Object.keys(methods).map((method) => method.toUpperCase());
  return names.includes('GET') ? [...names, 'HEAD'] : names;
}
