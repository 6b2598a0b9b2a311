import type { INestApplication, Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { isConsolePath } from '../http/console-request.js';

/**
 * Returns the app with its controllers in a fixed order for SwaggerModule, which reads them from `container`: public
 * controllers by name, then operator controllers by module and name. Nest orders controllers by module imports, so a
 * new import would reorder the documents.
 */
export function withOrderedControllers(app: INestApplication): INestApplication {
  const ranked = [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map((controller) => {
      const metatype = controller.metatype as Type;
      const path = Reflect.getMetadata(PATH_METADATA, metatype) as string;
      const isForOperators = isConsolePath(`/${path}/`);
      return {
        controller,
        rank: isForOperators ? `2 ${module.name} ${metatype.name}` : `1 ${metatype.name}`,
      };
    }),
  );
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const controllers = new Map(ranked.map(({ controller }) => [controller.id, controller]));
  const modules = new Map([['all', { controllers, metatype: Object, imports: new Map() }]]);
  return Object.create(app, { container: { value: { getModules: () => modules } } }) as INestApplication;
}
