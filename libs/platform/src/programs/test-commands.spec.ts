import { TestCommands } from './test-commands.js';

it('CF-03: accepts test commands only with TEST_COMMANDS=on', () => {
  const before = process.listeners('message');
  new TestCommands(false).on('double', () => undefined);
  expect(process.listeners('message')).toEqual(before);
});
