import type { OperatorClient } from '../support/operator-client.js';

const FIRST_NAMES = [
  ...['Astrid', 'Benoît', 'Carla', 'Dmitri', 'Esra', 'Felix', 'Grace', 'Hanna', 'Ibrahim', 'Jun', 'Katarina'],
  ...['Leon', 'Maya', 'Noah', 'Olga', 'Pablo', 'Rania', 'Sofia', 'Tomás', 'Yuki'],
];
const LAST_NAMES = [
  ...['Holm', 'Laurent', 'Moretti', 'Petrov', 'Yılmaz', 'Brandt', 'Okafor', 'Virtanen', 'Haddad', 'Tanaka'],
  ...['Nowak', 'Fischer', 'Sharma', 'Berg', 'Ivanova', 'Ruiz', 'Aziz', 'Costa', 'Silva', 'Mori', 'Keller'],
  ...['Dubois', 'Jansen'],
];

/** A fictional customer in the screenshots. */
export interface Person {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
}

/** Returns the customer for a number. Several hundred consecutive numbers have different names. */
export function personAt(number: number): Omit<Person, 'id'> {
  const firstName = FIRST_NAMES[number % FIRST_NAMES.length]!;
  const lastName = LAST_NAMES[number % LAST_NAMES.length]!;
  const plain = `${firstName}.${lastName}`
    .toLowerCase()
    .replace('ı', 'i')
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
  return { firstName, lastName, email: `${plain}@example.com` };
}

/** Returns a seeded pseudorandom number generator (mulberry32) with values from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Sends a request as an operator. @returns the response body @throws Error unless it succeeds */
export async function operatorRequest(
  operator: OperatorClient,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, any>> {
  const response = await operator.request(method, path, body);
  if (response.status < 300) return response.body as Record<string, any>;
  throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
}
