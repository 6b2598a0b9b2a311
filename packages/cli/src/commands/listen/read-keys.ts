import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';

/**
 * Calls a handler for each key that is pressed on a terminal. In raw mode, the terminal does not echo keys, and sends
 * Ctrl-C as a key instead of a signal.
 * @param handlers by key, `ctrl+c` for Ctrl-C
 * @returns a function that restores the terminal
 */
export function readKeys(
  terminal: Pick<ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>,
  handlers: Record<string, () => void>,
): () => void {
  const onData = (data: Buffer | string): void => {
    for (const key of data.toString()) handlers[key === CTRL_C ? 'ctrl+c' : key]?.();
  };
  terminal.setRawMode(true);
  terminal.on('data', onData);
  terminal.resume();
  return () => {
    terminal.off('data', onData);
    terminal.pause();
    terminal.setRawMode(false);
  };
}
