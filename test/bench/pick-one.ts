import { randomInt } from 'node:crypto';

/** Returns a random value. */
export const pickOne = <T>(values: T[]): T => values[randomInt(values.length)]!;
