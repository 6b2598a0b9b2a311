// Plain JavaScript because a worker thread loads it without any TypeScript transform.
import bcrypt from 'bcrypt';

/** @param {{ input: string, cost?: number, hash?: string }} task */
export default ({ input, cost, hash }) =>
  hash === undefined ? bcrypt.hashSync(input, cost) : bcrypt.compareSync(input, hash);
