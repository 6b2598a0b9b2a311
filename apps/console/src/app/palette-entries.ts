import type { IconName } from '../components/icon';
import type { Command } from '../commands/commands';

/** A palette entry: a command, or a record to open. */
export interface PaletteOption extends Pick<Command, 'run' | 'to' | 'shortcut'> {
  key: string;
  /** The heading of the entry's group. */
  group: string;
  icon: IconName;
  title: string;
  subtitle: string | null;
}

/**
 * Returns the commands whose titles contain all typed words, in two lists: titles that begin with the typed text, and
 * all others.
 */
export function matchCommands(
  typed: string,
  commands: readonly Command[],
): [first: PaletteOption[], others: PaletteOption[]] {
  const text = typed.toLowerCase();
  const matching = commands
    .filter(({ shortcutOnly }) => !shortcutOnly)
    .filter(({ title }) => text.split(/\s+/).every((word) => title.toLowerCase().includes(word)))
    .map(toOption);
  const isFirst = ({ title }: PaletteOption): boolean =>
    text !== '' && [title, title.replace(/^Go to /, '')].some((each) => each.toLowerCase().startsWith(text));
  return [matching.filter(isFirst), matching.filter((option) => !isFirst(option))];
}

/** Groups the options, in the order in which the groups first appear. */
export function groupOptions(options: readonly PaletteOption[]): PaletteOption[] {
  return [...new Set(options.map(({ group }) => group))].flatMap((group) =>
    options.filter((option) => option.group === group),
  );
}

/** Command groups, by the part of the command ID before the first dot. */
const groupsByPrefix: Record<string, string> = { page: 'Pages', control: 'This page', view: 'Saved views' };

const toOption = ({ id, title, subtitle = null, icon, shortcut, run, to }: Command): PaletteOption => {
  return {
    key: `command ${id}`,
    group: groupsByPrefix[id.replace(/[.].*/, '')] ?? 'Actions',
    icon: icon ?? 'chevron-right',
    title,
    subtitle,
    shortcut,
    run,
    to,
  };
};
