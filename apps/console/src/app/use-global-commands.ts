import { useMantineColorScheme } from '@mantine/core';
import { usePreferences, useUpdatePreferences } from '../http/preferences';
import { toastError } from '../components/toast';
import { useCommands, type Command } from '../commands/commands';
import { navigationCommands } from './navigation';
import { useHasInstallationAccess } from '../session/roles';
import { useIsSingleSignOnRequired, useSession, useSignOut } from '../session/session';

/** The commands that create records. They are available on every page. */
const createCommands: Command[] = [
  { id: 'project.create', title: 'Create project', icon: 'plus', role: 'admin', to: '/projects?create=' },
  { id: 'endpoint.create', title: 'Add endpoint', icon: 'plus', role: 'admin', to: '/endpoints?create=1' },
  { id: 'customer.create', title: 'Create customer', icon: 'plus', role: 'admin', to: '/customers?create=1' },
  {
    id: 'customer.import',
    title: 'Import customers',
    icon: 'customer',
    role: 'admin',
    to: '/customers/import',
  },
  { id: 'api_key.create', title: 'Create API key', icon: 'key', role: 'admin', to: '/projects?create-key=1' },
];

/** The commands for operators who are not limited to organizations. */
const installationCommands: Command[] = [
  {
    id: 'organization.create',
    title: 'Create organization',
    icon: 'plus',
    role: 'admin',
    to: '/organizations?create=1',
  },
];

const inviteCommand: Command = {
  id: 'operator.invite',
  title: 'Invite operator',
  icon: 'operator',
  role: 'admin',
  to: '/operators?invite=1',
};

/** Registers the commands that open pages, and the commands that are available on every page. */
export function useGlobalCommands(): void {
  const hasInstallationAccess = useHasInstallationAccess();
  const isSingleSignOnRequired = useIsSingleSignOnRequired();
  const { timeZone } = usePreferences();
  const updatePreferences = useUpdatePreferences();
  const { mutate: signOut } = useSignOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const themes: Command[] = [
    { id: 'theme.light', title: 'Use light theme', icon: 'sun', run: () => setColorScheme('light') },
    { id: 'theme.dark', title: 'Use dark theme', icon: 'moon', run: () => setColorScheme('dark') },
    { id: 'theme.auto', title: 'Use system theme', icon: 'screen', run: () => setColorScheme('auto') },
  ];
  useCommands([
    ...createCommands,
    ...(hasInstallationAccess ? installationCommands : []),
    ...(hasInstallationAccess && !isSingleSignOnRequired ? [inviteCommand] : []),
    {
      id: 'time-zone',
      title: timeZone === 'utc' ? 'Show local times' : 'Show times in UTC',
      icon: 'clock',
      run: () => updatePreferences({ timeZone: timeZone === 'utc' ? 'local' : 'utc' }),
    },
    ...themes.filter(({ id }) => id !== `theme.${colorScheme}`),
    {
      id: 'session.sign-out',
      title: 'Sign out',
      icon: 'sign-out',
      run: () => signOut(undefined, { onError: toastError }),
    },
    ...navigationCommands(useSession()),
  ]);
}
