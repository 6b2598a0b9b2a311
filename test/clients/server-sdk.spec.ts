import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type AccessTokenClaims, type Gatehouse, type ServerOptions } from '@gatehouse/server';
import { Auth, Customer, CustomerGuard, GatehouseModule } from '@gatehouse/server/nestjs';
import '@gatehouse/server/fastify';
import { Controller, Get, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import Fastify from 'fastify';
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { checkCases } from '../support/check-cases.js';
import { completeChallenge, openChallenge, registerWithTotp } from '../support/customer-factors.js';
import { openSession, registerCustomer, withSettings } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { readSigningKey } from '../support/signing-key.js';
import { freePort } from '../support/server-process.mjs';
import { insertOrganization } from '../support/tenants.js';
import { bearerHeader, TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { waitForFeed } from '../support/wait-for-feed.js';

let instance: TestInstance;
let gatehouse: Gatehouse;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  gatehouse = newServer();
});
afterAll(async () => instance?.stop());

const newServer = (options: Partial<ServerOptions> = {}): Gatehouse => {
  const { projectId, projectSecretKey: secretKey } = instance.credentials;
  return createServer({ url: instance.baseUrl, projectId, secretKey, ...options });
};

const newToken = async (): Promise<string> => (await registerCustomer(instance)).tokens.accessToken;

/** Returns an access token of a session with two factors. */
const newTokenWithMfa = (): Promise<string> =>
  withSettings(instance, { mfa: 'optional' }, async () => {
    const { email, secret } = await registerWithTotp(instance);
    const challenge = await openChallenge(instance, email);
    const { body } = await completeChallenge(instance, challenge, totpCode(secret));
    return body.tokens.accessToken as string;
  });

/** Returns a validly signed token with changed claims and headers. */
async function changeToken(token: string, changes: object, headers: object = {}): Promise<string> {
  const key = await readSigningKey(instance, token);
  return signLike(token, key, changes, headers);
}

const signLike = (
  token: string,
  key: KeyObject | Uint8Array,
  changes: object = {},
  headers: object = {},
): Promise<string> =>
  new SignJWT({ ...decodeJwt(token), ...changes })
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256', ...headers })
    .sign(key);

const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1_000) - seconds;

describe('verifyAccessToken', () => {
  it('returns the claims of a token that is signed with ES256 or RS256', async () => {
    const { id, tokens, email } = await registerCustomer(instance);
    const claims = await gatehouse.verifyAccessToken(tokens.accessToken);
    const expected = { sub: id, iss: instance.baseUrl, aud: instance.credentials.projectId, amr: ['pwd'] };
    expect(claims).toMatchObject(expected);
    const rsa = await withSettings(instance, { signingAlgorithm: 'RS256' }, () =>
      openSession(instance, email),
    );
    expect(decodeProtectedHeader(rsa.accessToken).alg).toBe('RS256');
    expect(await gatehouse.verifyAccessToken(rsa.accessToken)).toMatchObject(expected);
  });

  it('rejects modified, forged and expired tokens, and tokens of other projects or types', async () => {
    const token = await newToken();
    const [head, , signature] = token.split('.') as [string, string, string];
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(token), plan: 'gold' })).toString('base64url');
    const forged = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const publicKey = createPublicKey(await readSigningKey(instance, token));
    const other = await insertOrganization(instance);
    const { kid } = decodeProtectedHeader(token);
    const invalid: [string, string][] = [
      ['no token', ''],
      ['a word', 'token'],
      ['no signature', `${head}.${changed}.`],
      ['other claims', `${head}.${changed}.${signature}`],
      ['alg none', new UnsecuredJWT(decodeJwt(token)).encode()],
      ['a forged key', await signLike(token, forged)],
      ['an unknown key', await signLike(token, forged, {}, { kid: 'unknown' })],
      ['a key in the token', await signLike(token, forged, {}, { kid: undefined, jwk: forgedJwk(forged) })],
      ['the public key as shared secret', await signLike(token, publicDer(publicKey), {}, { alg: 'HS256' })],
      ['RS256 with the key of ES256', await signWithRsa(token, kid!)],
      ['expired', await changeToken(token, { exp: secondsAgo(60) })],
      ['no expiry', await changeToken(token, { exp: undefined })],
      ['not valid yet', await changeToken(token, { nbf: secondsAgo(-3_600) })],
      ['another project', await changeToken(token, { aud: other.projectId })],
      ['another issuer', await changeToken(token, { iss: 'https://example.com' })],
      ['no session', await changeToken(token, { sid: undefined })],
      ['an ID token', await changeToken(token, {}, { typ: undefined })],
      ['another type', await changeToken(token, {}, { typ: 'JWT' })],
    ];
    expect(await gatehouse.verifyAccessToken(await changeToken(token, {}))).toBeTruthy();
    await checkCases(invalid, (value) =>
      expect(gatehouse.verifyAccessToken(value)).rejects.toMatchObject({
        name: 'GatehouseError',
        code: 'invalid_access_token',
        status: 401,
      }),
    );
  });

  it('checks the second factor and the recent verification only if a route requires them', async () => {
    const [password, mfa] = [await newToken(), await newTokenWithMfa()];
    const old = await changeToken(mfa, { auth_time: secondsAgo(3_600) });
    const support = await changeToken(password, { amr: ['support'], auth_time: 0 });
    const secondFactors = ['totp', 'passkey', 'recovery_code'];
    const required = { code: 'reauthentication_required', status: 403 };
    const { verifyAccessToken } = gatehouse;
    expect(await verifyAccessToken(mfa, { mfa: true, maxAge: '10m' })).toMatchObject({
      amr: expect.arrayContaining(['mfa']),
    });
    expect(await verifyAccessToken(old, { mfa: true, maxAge: '2h' })).toBeTruthy();
    await expect(verifyAccessToken(password, { mfa: true })).rejects.toMatchObject({
      ...required,
      methods: secondFactors,
    });
    await expect(verifyAccessToken(old, { maxAge: '10m' })).rejects.toMatchObject({
      ...required,
      methods: secondFactors,
    });
    await expect(verifyAccessToken(support, { maxAge: '10m' })).rejects.toMatchObject(required);
  });

  it('fetches the public keys once, even for many tokens with unknown keys', async () => {
    const urls: unknown[] = [];
    const { verifyAccessToken } = newServer({ fetch: (url, init) => (urls.push(url), fetch(url, init)) });
    const token = await newToken();
    const forged = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    for (let count = 0; count < 20; count += 1) {
      const unknown = await signLike(token, forged, {}, { kid: `unknown-${count}` });
      await expect(verifyAccessToken(unknown)).rejects.toMatchObject({ code: 'invalid_access_token' });
    }
    await verifyAccessToken(token);
    expect(urls).toEqual([`${instance.baseUrl}/.well-known/jwks.json`]);
  });

  it('throws unavailable instead of rejecting tokens while the public keys cannot be fetched', async () => {
    const port = await freePort();
    const failures: [string, Partial<ServerOptions>][] = [
      ['refused', { url: `http://127.0.0.1:${port}` }],
      ['an error', { fetch: async () => new Response('', { status: 502 }) }],
      ['no keys', { fetch: async () => Response.json({}) }],
    ];
    const token = await newToken();
    await checkCases(failures, (options) =>
      expect(newServer(options).verifyAccessToken(token)).rejects.toMatchObject({
        code: 'unavailable',
        status: 503,
      }),
    );
  });

  it('rejects tokens of ended sessions and disabled customers after reading the event feed', async () => {
    const [active, ended, disabled] = [
      await registerCustomer(instance),
      await registerCustomer(instance),
      await registerCustomer(instance),
    ];
    const server = newServer({ revocation: { interval: 0.02 } });
    const verify = ({ tokens }: typeof active): Promise<string> =>
      server.verifyAccessToken(tokens.accessToken).then(
        () => 'valid',
        (error: { code: string }) => error.code,
      );
    expect(await verify(active)).toBe('unavailable');
    await instance.requestWithAccessToken(ended.tokens.accessToken, 'POST', '/api/v1/auth/logout');
    await waitForFeed(instance);
    await server.revocations().start();
    try {
      expect(await Promise.all([active, ended, disabled].map(verify))).toEqual([
        'valid',
        'invalid_access_token',
        'valid',
      ]);
      await server.customers.disable(disabled.id);
      await waitForResult(() => verify(disabled), 'invalid_access_token');
      expect(await verify(active)).toBe('valid');
    } finally {
      server.revocations().stop();
    }
    expect(await verify(disabled)).toBe('invalid_access_token');
  });
});

const publicDer = (key: KeyObject): Uint8Array => Buffer.from(key.export({ type: 'spki', format: 'pem' }));
const forgedJwk = (key: KeyObject): object => createPublicKey(key).export({ format: 'jwk' });
const signWithRsa = (token: string, kid: string): Promise<string> => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return signLike(token, privateKey, {}, { alg: 'RS256', kid });
};

async function waitForResult(probe: () => Promise<string>, expectedResult: string): Promise<void> {
  await eventually(expectedResult, async () => (await probe()) === expectedResult);
}

async function listen(
  app: ReturnType<typeof express>,
): Promise<{ url: string; close: () => Promise<unknown> }> {
  const server: Server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => new Promise((resolve) => server.close(resolve)) };
}

/**
 * Two routes in each framework: one for all customers, and one that requires a second factor and a recent
 * verification.
 */
const frameworks = {
  Express: (server: Gatehouse) => {
    const app = express();
    app.get('/orders', server.requireCustomer(), (req, res) => {
      res.json({ id: req.customer!.sub });
    });
    app.post('/pay', server.requireCustomer({ mfa: true, maxAge: '10m' }), (req, res) => {
      res.json({ id: req.customer!.sub });
    });
    return listen(app);
  },

  Fastify: async (server: Gatehouse) => {
    const app = Fastify();
    app.get('/orders', { onRequest: server.requireCustomer() }, (request) => ({ id: request.customer!.sub }));
    app.post('/pay', { preHandler: server.requireCustomer({ mfa: true, maxAge: '10m' }) }, (request) => ({
      id: request.customer!.sub,
    }));
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
  },

  NestJS: async (_server: Gatehouse, options: ServerOptions) => {
    @Controller()
    @UseGuards(CustomerGuard)
    class OrdersController {
      @Get('orders')
      list(@Customer() customer: AccessTokenClaims): object {
        return { id: customer.sub };
      }

      @Post('pay')
      @Auth({ mfa: true, maxAge: '10m' })
      pay(@Customer() customer: AccessTokenClaims): object {
        return { id: customer.sub };
      }
    }
    @Module({ imports: [GatehouseModule.forRoot(options)], controllers: [OrdersController] })
    class AppModule {}
    const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    return { url: await app.getUrl(), close: () => app.close() };
  },
};

describe.each(Object.entries(frameworks))('a route in %s that requires a customer', (_name, start) => {
  it('receives the claims, and responds with a problem if the token is insufficient', async () => {
    const { projectId } = instance.credentials;
    const options = { url: instance.baseUrl, projectId };
    const { url, close } = await start(createServer(options), options);
    try {
      const call = async (method: string, path: string, token?: string) => {
        const response = await fetch(`${url}${path}`, {
          method,
          ...(token === undefined ? {} : { headers: bearerHeader(token) }),
        });
        const { status, headers } = response;
        const type = headers.get('content-type');
        const challenge = headers.get('www-authenticate');
        return { status, type, challenge, body: await response.json() };
      };
      const [password, mfa] = [await newToken(), await newTokenWithMfa()];
      const type = 'application/problem+json; charset=utf-8';
      const rejected = { status: 401, type, challenge: 'Bearer error="invalid_token"' };
      expect(await call('GET', '/orders', password)).toMatchObject({
        status: 200,
        body: { id: decodeJwt(password).sub },
      });
      for (const token of [undefined, 'invalid'])
        expect(await call('GET', '/orders', token)).toMatchObject({
          ...rejected,
          body: { code: 'invalid_access_token', status: 401 },
        });
      expect(await call('POST', '/pay', password)).toMatchObject({
        status: 403,
        type,
        challenge: 'Bearer error="insufficient_user_authentication"',
        body: { code: 'reauthentication_required', methods: ['totp', 'passkey', 'recovery_code'] },
      });
      expect(await call('POST', '/pay', mfa)).toMatchObject({ body: { id: decodeJwt(mfa).sub } });
    } finally {
      await close();
    }
  });
});
