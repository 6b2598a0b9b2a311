import { errorMessage } from '../runtime/errors.js';

type Handler = (argument: string) => unknown;

/** A message from a test process over the IPC channel. */
interface Message {
  id: number;
  command: string;
  argument: string;
}

/**
 * Handles commands that a test sends to a process over its IPC channel, for example to run a periodic job immediately,
 * hold a failpoint or clear in-process state. They are accepted only with TEST_COMMANDS=on, which production rejects
 * (docs/adr/0025-shared-test-servers.md).
 */
export class TestCommands {
  private readonly handlers = new Map<string, Handler>();

  /** @param isEnabled the setting TEST_COMMANDS */
  constructor(isEnabled: boolean) {
    if (isEnabled) process.on('message', (message) => void this.run(message as Message));
  }

  /**
   * Registers a command's handler. Its result, or the message of the error that it throws, is sent back to the test.
   */
  on(command: string, handler: Handler): void {
    this.handlers.set(command, handler);
  }

  private async run({ id, command, argument }: Message): Promise<void> {
    try {
      const handler = this.handlers.get(command);
      if (!handler) throw new Error(`unknown command ${command}`);
      process.send?.({ id, result: await handler(argument) });
    } catch (error) {
      process.send?.({ id, error: errorMessage(error) });
    }
  }
}
