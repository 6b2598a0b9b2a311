import 'reflect-metadata';
import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Module,
  Post,
  UnauthorizedException,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import { serve } from './child.js';

/** The comparison server's database, and the public key for its tokens. */
export interface ComparisonOptions {
  databaseUrl: string;
  poolSize: number;
  jwk: JsonWebKey;
  keepAliveMs: number;
}

/** Selects the row for a `/me` response. */
const readCustomer = `
  SELECT id, email, first_name, last_name, email_verified, project_id, public_metadata, created_at, updated_at,
    last_login_at
  FROM customers WHERE id = $1`;

const POOL_TOKEN = Symbol('pool');
const KEY_TOKEN = Symbol('key');

/** The baseline without Gatehouse: an empty route, and the minimum work of a protected route. */
@Controller()
class ComparisonController {
  private readonly privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  constructor(
    @Inject(JwtService) private readonly jwt: JwtService,
    @Inject(POOL_TOKEN) private readonly pool: pg.Pool,
    @Inject(KEY_TOKEN) private readonly publicKey: KeyObject,
  ) {}

  @Get('bare')
  bare(): { ok: boolean } {
    return { ok: true };
  }

  @Get('verify-and-read')
  async verifyAndRead(@Headers('authorization') authorization: string): Promise<unknown> {
    const { sub } = await this.jwt
      .verifyAsync<{ sub: string }>(authorization.replace(/^Bearer /, ''), {
        publicKey: this.publicKey as unknown as string,
        algorithms: ['ES256'],
      })
      .catch(() => {
        throw new UnauthorizedException();
      });
    const { rows } = await this.pool.query(readCustomer, [sub]);
    return rows[0];
  }

  /**
   * Uses the refresh endpoint's request and response format, so that the two endpoints can be measured in the same way.
   * The session id replaces the refresh token.
   */
  @Post('sign-and-update')
  @HttpCode(200)
  async signAndUpdate(@Body() body: { refreshToken: string }): Promise<unknown> {
    const id = body.refreshToken;
    await this.pool.query('UPDATE sessions SET rotated_at = now() WHERE id = $1', [id]);
    const accessToken = this.jwt.sign(
      { sid: id },
      { privateKey: this.privateKey as unknown as string, algorithm: 'ES256' },
    );
    return { tokens: { accessToken, refreshToken: id } };
  }
}

async function listen({ databaseUrl, poolSize, jwk, keepAliveMs }: ComparisonOptions): Promise<string> {
  @Module({
    imports: [JwtModule.register({})],
    controllers: [ComparisonController],
    providers: [
      {
        provide: POOL_TOKEN,
        useValue: new pg.Pool({ connectionString: databaseUrl, max: poolSize }).on('error', () => undefined),
      },
      { provide: KEY_TOKEN, useValue: createPublicKey({ key: jwk, format: 'jwk' }) },
    ],
  })
  class ComparisonModule {}
  const app = await NestFactory.create<NestExpressApplication>(ComparisonModule, { logger: false });
  const server = app.getHttpServer();
  server.keepAliveTimeout = keepAliveMs;
  await app.listen(0, '127.0.0.1');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

serve({ listen });
