import type { ComponentType } from 'react';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { Gate, Waiting } from './gate';
import { NotFound, RouteFault } from './route-fault';
import { Shell } from './shell';

/** A screen that is loaded when somebody goes there. */
const screen = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
  errorElement: <RouteFault />,
});

const screens: RouteObject[] = [
  screen('', async () => (await import('../overview/overview.screen')).OverviewScreen),
  screen('deliveries', async () => (await import('../deliveries/deliveries.screen')).DeliveriesScreen),
  screen('deliveries/:id', async () => (await import('../deliveries/delivery.screen')).DeliveryScreen),
  screen('dead-letters', async () => (await import('../dead-letters/dead-letters.screen')).DeadLettersScreen),
  screen('endpoints', async () => (await import('../endpoints/endpoints.screen')).EndpointsScreen),
  screen('endpoints/:id', async () => (await import('../endpoints/endpoint.screen')).EndpointScreen),
  screen('batches', async () => (await import('../batches/batches.screen')).BatchesScreen),
  screen('batches/:id', async () => (await import('../batches/batch.screen')).BatchScreen),
  screen(
    'organizations',
    async () => (await import('../organizations/organizations.screen')).OrganizationsScreen,
  ),
  screen(
    'organizations/:id',
    async () => (await import('../organizations/organization.screen')).OrganizationScreen,
  ),
  screen('projects', async () => (await import('../projects/projects.screen')).ProjectsScreen),
  screen('projects/:id', async () => (await import('../projects/project.screen')).ProjectScreen),
  screen('customers', async () => (await import('../customers/customers.screen')).CustomersScreen),
  screen('customers/:id', async () => (await import('../customers/customer.screen')).CustomerScreen),
  screen('events', async () => (await import('../events/events.screen')).EventsScreen),
  screen('events/:id', async () => (await import('../events/event.screen')).EventScreen),
  screen('audit', async () => (await import('../audit/audit.screen')).AuditScreen),
  screen('mailbox', async () => (await import('../mailbox/mailbox.screen')).MailboxScreen),
  screen('operators', async () => (await import('../operators/operators.screen')).OperatorsScreen),
  screen('health', async () => (await import('../health/health.screen')).HealthScreen),
  screen('account', async () => (await import('../account/account.screen')).AccountScreen),
  { path: '*', Component: NotFound },
];

export const router = createBrowserRouter(
  [
    {
      Component: Gate,
      HydrateFallback: Waiting,
      errorElement: <RouteFault />,
      children: [
        { Component: Shell, children: screens },
        screen('sign-in', async () => (await import('../sign-in/sign-in.screen')).SignInScreen),
        screen('setup', async () => (await import('../sign-in/setup.screen')).SetupScreen),
        screen('invitation', async () => (await import('../sign-in/invitation.screen')).InvitationScreen),
      ],
    },
  ],
  { basename: '/console' },
);
