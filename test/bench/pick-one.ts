import { randomInt } from 'node:crypto';

export const pickOne = <T>(values: T[]): T => values[randomInt(values.length)]!;
