import { TestCommands } from './test-commands.js';

it('CF-03: a process accepts test commands with TEST_COMMANDS=on alone', () => {
  const before = process.listeners('message');
  new TestCommands(false).on('double', () => undefined);
  expect(process.listeners('message')).toEqual(before);
});
