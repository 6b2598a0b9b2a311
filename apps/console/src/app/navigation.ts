import type { IconName } from '../components/icon';
import type { Session } from './session';

export interface NavigationItem {
  label: string;
  to: string;
  icon: IconName;
  /** Returns false to hide the item. If omitted, the item is always visible. */
  isVisible?: (session: Session) => boolean;
}

export interface NavigationGroup {
  label: string | null;
  items: NavigationItem[];
}

/** The navigation items of the sidebar and of the command palette. */
export const navigation: NavigationGroup[] = [
  { label: null, items: [{ label: 'Overview', to: '/', icon: 'overview' }] },
  {
    label: 'Webhooks',
    items: [
      { label: 'Deliveries', to: '/deliveries', icon: 'delivery' },
      { label: 'Dead letters', to: '/dead-letters', icon: 'dead-letter' },
      { label: 'Endpoints', to: '/endpoints', icon: 'endpoint' },
      { label: 'Batches', to: '/batches', icon: 'batch' },
      { label: 'Events', to: '/events', icon: 'event' },
    ],
  },
  {
    label: 'Identity',
    items: [
      { label: 'Customers', to: '/customers', icon: 'customer' },
      { label: 'Organizations', to: '/organizations', icon: 'organization' },
      { label: 'Projects', to: '/projects', icon: 'project' },
    ],
  },
  {
    label: 'System',
    items: [
      { label: 'Audit log', to: '/audit', icon: 'audit' },
      { label: 'Emails', to: '/mails', icon: 'mail' },
      {
        label: 'Mailbox',
        to: '/mailbox',
        icon: 'mailbox',
        isVisible: (session) => session.server?.mailbox === true && session.operator?.role !== 'viewer',
      },
      {
        label: 'Operators',
        to: '/operators',
        icon: 'operator',
        isVisible: ({ operator }) => operator?.role === 'admin',
      },
      { label: 'Health', to: '/health', icon: 'health' },
    ],
  },
];

/** Returns the navigation groups and items that are visible in this session. */
export const visibleNavigation = (session: Session): NavigationGroup[] =>
  navigation
    .map((group) => ({
      ...group,
      items: group.items.filter(({ isVisible }) => isVisible?.(session) ?? true),
    }))
    .filter(({ items }) => items.length > 0);

/** Returns the path of the screen of a search result, or null if it has no screen. */
export function recordPath(kind: string, id: string, projectId: string | null): string | null {
  switch (kind) {
    case 'delivery':
      return `/deliveries/${id}`;
    case 'attempt':
      return `/deliveries?q=${id}`;
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
      return projectId && `/projects/${projectId}?tab=keys`;
    default:
      return null;
  }
}
