import type { Command } from '../commands/commands';
import { groupOptions, matchCommands } from './palette-entries';

const commands: Command[] = [
  { id: 'project.create', title: 'Create project', to: '/projects?create=' },
  { id: 'row.select', title: 'Select the row', shortcut: 'x', shortcutOnly: true },
  { id: 'page./projects', title: 'Go to Projects', to: '/projects' },
  { id: 'view.1', title: 'Open view Failing projects', subtitle: 'Deliveries', to: '/deliveries?view=1' },
  { id: 'theme.dark', title: 'Use dark theme', run: () => undefined },
];
const titles = (typed: string): string[][] =>
  matchCommands(typed, commands).map((options) => options.map(({ title }) => title));

describe('matchCommands', () => {
  it('returns commands that contain all words, with matches at the start first', () => {
    expect(titles('create p')).toEqual([['Create project'], []]);
    expect(titles('PROJECT')).toEqual([['Go to Projects'], ['Create project', 'Open view Failing projects']]);
    expect(titles('theme dark')).toEqual([[], ['Use dark theme']]);
    expect(titles('project dark')).toEqual([[], []]);
  });

  it('returns all commands for an empty search, except those that depend on the focus', () => {
    expect(titles('')).toEqual([
      [],
      ['Create project', 'Go to Projects', 'Open view Failing projects', 'Use dark theme'],
    ]);
  });
});

it('keeps the options of a group together', () => {
  const [, options] = matchCommands('', commands);
  const groups = groupOptions(options).map(({ group, title }) => [group, title]);
  expect(groups).toEqual([
    ['Actions', 'Create project'],
    ['Actions', 'Use dark theme'],
    ['Pages', 'Go to Projects'],
    ['Saved views', 'Open view Failing projects'],
  ]);
});
