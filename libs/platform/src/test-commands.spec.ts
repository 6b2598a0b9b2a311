import { TestCommands } from './test-commands.js';

describe('TestCommands', () => {
  const { send } = process;
  const before = process.listeners('message');
  afterEach(() => {
    process.send = send;
    for (const listener of process.listeners('message')) {
      if (!before.includes(listener)) process.off('message', listener);
    }
  });

  /** What the process sends back to a message of its parent. */
  const responseTo = (message: object): Promise<unknown> =>
    new Promise((resolve) => {
      process.send = (response: unknown) => {
        resolve(response);
        return true;
      };
      for (const listener of process.listeners('message')) {
        if (!before.includes(listener)) listener(message, undefined);
      }
    });

  it('sends back what a command returns, once it has ended', async () => {
    new TestCommands(true).on('double', async (text) => `${text}${text}`);
    await expect(responseTo({ id: 7, command: 'double', argument: 'ab' })).resolves.toEqual({
      id: 7,
      result: 'abab',
    });
  });

  it('sends back why a command failed, or that there is none', async () => {
    const commands = new TestCommands(true);
    commands.on('fail', () => {
      throw new Error('the reason');
    });
    await expect(responseTo({ id: 1, command: 'fail' })).resolves.toEqual({ id: 1, error: 'the reason' });
    await expect(responseTo({ id: 2, command: 'none' })).resolves.toEqual({
      id: 2,
      error: 'unknown command none',
    });
  });

  it('CF-03: takes none unless TEST_COMMANDS is on', () => {
    new TestCommands(false).on('double', () => undefined);
    expect(process.listeners('message')).toEqual(before);
  });
});
