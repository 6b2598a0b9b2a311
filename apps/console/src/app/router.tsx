import type { ComponentType } from 'react';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { lazyScreen as createLazyScreen } from './lazy-screen';
import { SessionGate, PageLoader } from '../session/session-gate';
import { NotFound, PageError, RouteError } from './route-error';
import { Shell } from './shell';

const lazyScreen = (path: string, load: () => Promise<ComponentType>): RouteObject =>
  createLazyScreen(path, load, () => router.state.initialized);

const screens: RouteObject[] = [
  lazyScreen('', async () => (await import('../overview/overview.screen')).OverviewScreen),
  lazyScreen('deliveries', async () => (await import('../deliveries/deliveries.screen')).DeliveriesScreen),
  lazyScreen(
    'deliveries/attempts',
    async () => (await import('../deliveries/attempts.screen')).AttemptsScreen,
  ),
  lazyScreen('deliveries/:id', async () => (await import('../deliveries/delivery.screen')).DeliveryScreen),
  lazyScreen(
    'dead-letters',
    async () => (await import('../dead-letters/dead-letters.screen')).DeadLettersScreen,
  ),
  lazyScreen('endpoints', async () => (await import('../endpoints/endpoints.screen')).EndpointsScreen),
  lazyScreen('endpoints/:id', async () => (await import('../endpoints/endpoint.screen')).EndpointScreen),
  lazyScreen('batches', async () => (await import('../batches/batches.screen')).BatchesScreen),
  lazyScreen('batches/:id', async () => (await import('../batches/batch.screen')).BatchScreen),
  lazyScreen(
    'organizations',
    async () => (await import('../organizations/organizations.screen')).OrganizationsScreen,
  ),
  lazyScreen(
    'organizations/:id',
    async () => (await import('../organizations/organization.screen')).OrganizationScreen,
  ),
  lazyScreen('projects', async () => (await import('../projects/projects.screen')).ProjectsScreen),
  lazyScreen('projects/:id', async () => (await import('../projects/project.screen')).ProjectScreen),
  lazyScreen(
    'projects/:projectId/identity-providers/:id',
    async () => (await import('../projects/identity-provider.screen')).IdentityProviderScreen,
  ),
  lazyScreen(
    'projects/:projectId/keys/:id',
    async () => (await import('../projects/api-key.screen')).ApiKeyScreen,
  ),
  lazyScreen('customers', async () => (await import('../customers/customers.screen')).CustomersScreen),
  lazyScreen(
    'customers/import',
    async () => (await import('../customers/import-customers.screen')).ImportCustomersScreen,
  ),
  lazyScreen('customers/:id', async () => (await import('../customers/customer.screen')).CustomerScreen),
  lazyScreen('events', async () => (await import('../events/events.screen')).EventsScreen),
  lazyScreen('events/:id', async () => (await import('../events/event.screen')).EventScreen),
  lazyScreen('audit', async () => (await import('../audit/audit.screen')).AuditScreen),
  lazyScreen('mails', async () => (await import('../mails/mails.screen')).MailsScreen),
  lazyScreen('mailbox', async () => (await import('../mailbox/mailbox.screen')).MailboxScreen),
  lazyScreen('operators', async () => (await import('../operators/operators.screen')).OperatorsScreen),
  lazyScreen('health', async () => (await import('../health/health.screen')).HealthScreen),
  lazyScreen('account', async () => (await import('../account/account.screen')).AccountScreen),
  { path: '*', Component: NotFound },
];

export const router = createBrowserRouter(
  [
    {
      Component: SessionGate,
      HydrateFallback: PageLoader,
      errorElement: <PageError />,
      children: [
        { Component: Shell, children: [{ errorElement: <RouteError />, children: screens }] },
        lazyScreen('sign-in', async () => (await import('../sign-in/sign-in.screen')).SignInScreen),
        lazyScreen('setup', async () => (await import('../sign-in/setup.screen')).SetupScreen),
        lazyScreen('invitation', async () => (await import('../sign-in/invitation.screen')).InvitationScreen),
      ],
    },
  ],
  { basename: '/console' },
);
