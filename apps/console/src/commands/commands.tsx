import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';
import type { IconName } from '../components/icon';
import { roleIncludes, useRole } from '../session/roles';
import type { Role } from '../session/session';

/** An action, or a page to open, with a shortcut and an entry in the command palette. Either `run` or `to` is set. */
export interface Command {
  /** Unique among the page's commands: "delivery.redeliver". */
  id: string;
  /** An imperative: "Redeliver this delivery". */
  title: string;
  /** Shown beside the title in the palette. */
  subtitle?: string | null;
  icon?: IconName;
  /** Keys, separated by spaces if they are pressed one after the other: "r", "g d". */
  shortcut?: string;
  /** The minimum role. Default: any role. */
  role?: Role;
  /** Shown only in the shortcut list, because the command depends on the focus. */
  shortcutOnly?: boolean;
  /** Performs the action, or opens its dialog. */
  run?: () => void;
  /** The path of the page that the command opens. */
  to?: string;
}

const registrations = new Set<readonly Command[]>();
const listeners = new Set<() => void>();
let activeCommands: readonly Command[] = [];

function publish(): void {
  activeCommands = [...registrations].flat();
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/**
 * Registers commands while the component is mounted. The commands may be new objects in each render: `run` from the
 * latest render is called. Omit commands that are not available at the moment.
 */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  const key = JSON.stringify(commands);
  useEffect(() => {
    const registered = latest.current.map((command) => ({
      ...command,
      ...(command.run && { run: () => latest.current.find(({ id }) => id === command.id)?.run?.() }),
    }));
    registrations.add(registered);
    publish();
    return () => {
      registrations.delete(registered);
      publish();
    };
  }, [key]);
}

/** Returns the current page's commands that the operator's role permits. */
export function useActiveCommands(): readonly Command[] {
  const commands = useSyncExternalStore(subscribe, () => activeCommands);
  const role = useRole();
  return useMemo(
    () => commands.filter((command) => !command.role || roleIncludes(role, command.role)),
    [commands, role],
  );
}

export function useRunCommand(): (command: Command) => void {
  const navigate = useNavigate();
  return useCallback(
    ({ run, to }) => {
      if (run) run();
      else if (to !== undefined) void navigate(to);
    },
    [navigate],
  );
}
