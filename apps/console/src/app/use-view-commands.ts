import { useGet } from '../http/queries';
import { viewParams, VIEWS_PATH, type SavedView } from '../lists/view-search';
import { useCommands, type Command } from '../commands/commands';
import { hiddenNavigation, navigation } from './navigation';
import { useSession } from '../session/session';

const listPaths: Partial<Record<SavedView['list'], string>> = { attempts: '/deliveries/attempts' };

/** Registers a command for each of the operator's saved views. */
export function useViewCommands(): void {
  const { data } = useGet(VIEWS_PATH);
  const hiddenPaths = hiddenNavigation(useSession()).map(({ to }) => to);
  const commands = data?.data.map(toCommand) ?? [];
  useCommands(commands.filter(({ to }) => !hiddenPaths.includes(to!.replace(/[?].*/, ''))));
}

function toCommand(view: SavedView): Command {
  const path = listPaths[view.list] ?? `/${view.list}`;
  const page = navigation.flatMap(({ items }) => items).find(({ to }) => to === path);
  return {
    id: `view.${view.id}`,
    title: `Open view ${view.name}`,
    subtitle: page?.label ?? 'Attempts',
    icon: page?.icon ?? 'delivery',
    to: `${path}?${new URLSearchParams(viewParams(view)).toString()}`,
  };
}
