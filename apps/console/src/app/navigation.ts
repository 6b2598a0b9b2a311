import type { IconName } from '../components/icon';
import type { Command } from '../commands/commands';
import type { Session } from '../session/session';

export interface NavigationItem {
  label: string;
  to: string;
  icon: IconName;
  /** The key that opens the page when it is pressed after "g". */
  letter?: string;
  /** Returns false to hide the item. If omitted, the item is always visible. */
  isVisible?: (session: Session) => boolean;
}

export interface NavigationGroup {
  label: string | null;
  items: NavigationItem[];
}

/** The navigation items in the sidebar and the command palette. */
export const navigation: NavigationGroup[] = [
  { label: null, items: [{ label: 'Overview', to: '/', icon: 'overview', letter: 'o' }] },
  {
    label: 'Webhooks',
    items: [
      { label: 'Deliveries', to: '/deliveries', icon: 'delivery', letter: 'd' },
      { label: 'Dead letters', to: '/dead-letters', icon: 'dead-letter', letter: 'l' },
      { label: 'Endpoints', to: '/endpoints', icon: 'endpoint', letter: 'e' },
      { label: 'Batches', to: '/batches', icon: 'batch', letter: 'b' },
      { label: 'Events', to: '/events', icon: 'event', letter: 'v' },
    ],
  },
  {
    label: 'Identity',
    items: [
      { label: 'Customers', to: '/customers', icon: 'customer', letter: 'c' },
      { label: 'Organizations', to: '/organizations', icon: 'organization', letter: 'r' },
      { label: 'Projects', to: '/projects', icon: 'project', letter: 'p' },
    ],
  },
  {
    label: 'System',
    items: [
      { label: 'Audit log', to: '/audit', icon: 'audit', letter: 'a' },
      { label: 'Emails', to: '/mails', icon: 'mail', letter: 'm' },
      {
        label: 'Mailbox',
        to: '/mailbox',
        icon: 'mailbox',
        letter: 'x',
        isVisible: (session) => session.server?.mailbox === true && session.operator?.role !== 'viewer',
      },
      {
        label: 'Operators',
        to: '/operators',
        icon: 'operator',
        letter: 'u',
        isVisible: ({ operator }) => operator?.role === 'admin' && !operator.organizationIds,
      },
      {
        label: 'Health',
        to: '/health',
        icon: 'health',
        letter: 'h',
        isVisible: ({ operator }) => !operator?.organizationIds,
      },
    ],
  },
];

/** The signed-in operator's page, which the account menu opens. */
export const accountPage: NavigationItem = { label: 'Account', to: '/account', icon: 'lock', letter: 's' };

/** Returns the navigation groups and items that are visible in this session. */
export const visibleNavigation = (session: Session): NavigationGroup[] =>
  navigation
    .map((group) => ({
      ...group,
      items: group.items.filter(({ isVisible }) => isVisible?.(session) ?? true),
    }))
    .filter(({ items }) => items.length > 0);

/** Returns the icon of the page that a path belongs to. */
export const pageIcon = (path: string): IconName =>
  navigation.flatMap(({ items }) => items).find(({ to }) => to !== '/' && path.startsWith(to))?.icon ??
  'table';

/** Returns the navigation items that are not visible in this session. */
export const hiddenNavigation = (session: Session): NavigationItem[] =>
  navigation.flatMap(({ items }) => items).filter(({ isVisible }) => isVisible?.(session) === false);

/** Returns the commands that open the visible pages. */
export const navigationCommands = (session: Session): Command[] =>
  visibleNavigation(session)
    .flatMap(({ items }) => items)
    .concat(accountPage)
    .map(({ label, to, icon, letter }) => ({
      id: `page.${to}`,
      title: `Go to ${label}`,
      icon,
      ...(letter && { shortcut: `g ${letter}` }),
      to,
    }));

/** Returns the path of a search result's screen, or null if it has no screen. */
export function recordPath(kind: string, id: string, projectId: string | null): string | null {
  switch (kind) {
    case 'delivery':
      return `/deliveries/${id}`;
    case 'attempt':
      return `/deliveries/attempts?q=${id}`;
    case 'event':
      return `/events/${id}`;
    case 'endpoint':
      return `/endpoints/${id}`;
    case 'batch':
      return `/batches/${id}`;
    case 'customer':
      return `/customers/${id}`;
    case 'project':
      return `/projects/${id}`;
    case 'organization':
      return `/organizations/${id}`;
    case 'api_key':
      return projectId && `/projects/${projectId}/keys/${id}`;
    case 'operator':
      return `/audit?actorType=operator&actorId=${id}`;
    default:
      return null;
  }
}
