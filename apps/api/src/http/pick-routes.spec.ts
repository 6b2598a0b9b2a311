import 'reflect-metadata';
import { Controller, Delete, Get, Injectable, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { PickRoutes } from './pick-routes.js';
import { registeredRoutes } from './route-gate.js';

@Injectable()
class ThingsService {
  find(id: string): string {
    return `thing ${id}`;
  }
}

@Controller('v1/things')
class ThingsController {
  constructor(protected readonly things: ThingsService) {}

  @Get()
  list(): string[] {
    return ['thing'];
  }

  @Get(':id')
  show(@Param('id') id: string): string {
    return this.things.find(id);
  }

  @Post()
  create(): string {
    return this.newThing();
  }

  /** Represents a route that is added later. */
  @Delete(':id')
  delete(): void {}

  protected newThing(): string {
    return 'new thing';
  }
}

@Controller('operator/v1/things')
class ThingsOperatorController extends PickRoutes(ThingsController, ['list', 'show', 'create']) {
  @Get('count')
  count(): number {
    return super.list().length;
  }

  @Get()
  override list(): string[] {
    return [...super.list(), this.things.find('2')];
  }
}

@Module({ controllers: [ThingsController, ThingsOperatorController], providers: [ThingsService] })
class ThingsModule {}

describe('PickRoutes', () => {
  it("registers only the named routes and the class's own routes", async () => {
    const server = express();
    const app = await NestFactory.create(ThingsModule, new ExpressAdapter(server), { logger: false });
    await app.init();
    const routes = registeredRoutes(server).map(({ method, path }) => `${method} ${path}`);
    expect(routes.filter((route) => route.includes('operator')).sort()).toEqual([
      'GET /operator/v1/things',
      'GET /operator/v1/things/:id',
      'GET /operator/v1/things/count',
      'POST /operator/v1/things',
    ]);
    expect(routes).toContain('DELETE /v1/things/:id');
    await app.close();
  });

  it("keeps the controller's dependencies, methods and overrides", () => {
    const controller = new ThingsOperatorController(new ThingsService());
    expect(controller.list()).toEqual(['thing', 'thing 2']);
    expect(controller.show('1')).toBe('thing 1');
    expect(controller.create()).toBe('new thing');
    expect(controller).toBeInstanceOf(ThingsController);
  });
});
