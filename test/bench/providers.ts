import { setTimeout } from 'node:timers/promises';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { UserAgent, type Navigation } from '../support/identity-providers/user-agent.js';
import {
  addProvider,
  beginOAuth,
  createSocialProject,
  followToCallback,
  type AddedProvider,
  type SocialProject,
} from '../support/social-sign-in.js';
import { openSession } from '../support/customers.js';
import { bearerHeader, PASSWORD } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import type { Load, LoadResult } from './load.js';
import { formatNumber, median, printProgress, type SectionResult } from './report.js';
import { registerCustomers } from './requests.js';

/** The maximum number of sign-ins that wait for a provider. */
const IN_FLIGHT = 50;
const SECONDS = 6;
const ROUNDS = 3;
/** Enough flows for one round: a callback waits for 5 s. */
const FLOWS = IN_FLIGHT * 4;
const START_INTERVAL_MS = 80;
const CONNECTIONS = { me: 8, login: 2 };

type Route = keyof typeof CONNECTIONS;
const routes: Route[] = ['me', 'login'];

/** A route's 99th percentiles in ms, one per round: alone, and while a provider hangs. */
type Rounds = Record<Route, { alone: number[]; hanging: number[] }>;

/** Measures how sign-ins that wait for a provider affect other requests (requirement FE-04). */
export async function measureProviders(): Promise<SectionResult> {
  const bench = await BenchInstance.start({ env: { RATE_LIMITS: 'off' } });
  const load = new Child('load');
  const server = await StandInProvider.start();
  try {
    const { instance } = bench;
    const project = await createSocialProject(instance);
    const provider = await addProvider(instance, project, server, { type: 'google', issuer: server.issuer });
    server.user = createProviderUser();
    const emails = await registerCustomers(instance, 20);
    const { accessToken } = await openSession(instance, emails[0]!);
    const { publishableKey } = instance.credentials;
    const loads: Record<Route, Load> = {
      me: {
        url: `${instance.baseUrl}/api/v1/me`,
        seconds: SECONDS,
        connections: CONNECTIONS.me,
        headers: bearerHeader(accessToken),
      },
      login: {
        ...{ url: `${instance.baseUrl}/api/v1/auth/login`, seconds: SECONDS, connections: CONNECTIONS.login },
        headers: { 'x-publishable-key': publishableKey },
        bodies: { kind: 'login', password: PASSWORD, emails },
      },
    };
    const measure = (route: Route) => load.call<LoadResult>('measure', loads[route]);
    for (const route of routes) await measure(route);
    const rounds: Rounds = { me: { alone: [], hanging: [] }, login: { alone: [], hanging: [] } };
    for (let round = 1; round <= ROUNDS; round += 1)
      for (const route of routes) {
        printProgress(`round ${round} of ${ROUNDS}: ${route}`);
        rounds[route].alone.push((await measure(route)).p99);
        const callbacks = await prepare(bench, project, provider);
        server.hold('token');
        const waiting = keepWaiting(callbacks);
        await server.waitForHeld('token', IN_FLIGHT);
        rounds[route].hanging.push((await measure(route)).p99);
        server.release('token');
        await waiting;
      }
    return report(rounds);
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await bench.stop();
  }
}

/** Begins flows, up to the callback. */
async function prepare(
  { instance }: BenchInstance,
  project: SocialProject,
  provider: AddedProvider,
): Promise<Navigation[]> {
  const callbacks: Navigation[] = [];
  while (callbacks.length < FLOWS)
    callbacks.push(await followToCallback(await beginOAuth(instance, project, provider.slug), provider));
  return callbacks;
}

/** Sends callbacks until all have returned, with IN_FLIGHT requests at a time. The first ones are staggered. */
async function keepWaiting(callbacks: Navigation[]): Promise<void> {
  const sendNext = async (index: number): Promise<void> => {
    await setTimeout(index * START_INTERVAL_MS);
    for (let next = callbacks.pop(); next; next = callbacks.pop()) await new UserAgent().send(next);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, index) => sendNext(index)));
}

function report(rounds: Rounds): SectionResult {
  const ratio = (route: Route): number => {
    const { alone, hanging } = rounds[route];
    return median(hanging.map((p99, index) => p99 / alone[index]!));
  };
  return {
    table: [
      ['', 'p99 ms alone', `p99 ms with ${IN_FLIGHT} waiting`, 'ratio'],
      ...routes.map((route) => [
        route,
        ...[rounds[route].alone, rounds[route].hanging].map((values) => formatNumber(median(values))),
        formatNumber(ratio(route)),
      ]),
    ],
    notes: [`Medians of ${ROUNDS} alternating rounds, and the median ratio over all rounds.`],
    targets: routes.map((route) => ({
      name: `${route} while a provider hangs, ratio of the p99 to the p99 alone`,
      value: ratio(route),
      bound: 1.5,
      direction: 'at most',
      unit: '×',
      isRequired: true,
    })),
  };
}
