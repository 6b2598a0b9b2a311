import { pickOne } from './pick-one.js';
import { RARE_TYPE } from './seed-attempts.js';

/** The data from which requests are built. */
export interface BenchData {
  /** The project with half of the log and most of the customers. */
  project: string;
  /** One of a thousand other projects. */
  smallProject: string;
  organization: string;
  /** An organization with a few customers and no deliveries. */
  smallOrganization: string;
  deliveries: string[];
  endpoints: string[];
  events: string[];
  customers: string[];
  operator: string;
  /** A customer with far more events, audit log entries and emails than a page scans. */
  busyCustomer: string;
  /** API keys for `project`. */
  apiKeys: string[];
  mails: string[];
  auditEntries: string[];
  /** The running batch. */
  batch: string;
}

export type Path = string | ((data: BenchData) => string);

/** A screen's request: a name, and a path below `/operator/v1`. */
export type Screen = [name: string, path: Path];

/** The delivery list's requests. */
export const deliveryScreens: Screen[] = [
  ...[
    '',
    'state=pending',
    'state=succeeded',
    'state=failed',
    'state=cancelled',
    'failed_attempts=true',
    'status_class=5xx',
    'http_status=418',
    'error=timeout',
    `event=${RARE_TYPE}`,
    'sort=created_at',
    'sort=next_attempt_at',
    'q=https://',
    'q=example',
    'q=anna.7@company-7.example',
  ].flatMap((query): Screen[] => [
    [`deliveries: ${query || 'all'}`, `/webhooks/deliveries?${query}`],
    [`deliveries: count, ${query || 'all'}`, `/webhooks/deliveries/count?${query}`],
    [
      `deliveries: a project, ${query || 'all'}`,
      ({ smallProject }) => `/webhooks/deliveries?project_id=${smallProject}&${query}`,
    ],
    [
      `deliveries: an organization, ${query || 'all'}`,
      ({ organization }) => `/webhooks/deliveries?organization_id=${organization}&${query}`,
    ],
    [
      `deliveries: an endpoint, ${query || 'all'}`,
      ({ endpoints }) => `/webhooks/deliveries?endpoint_id=ep_${pickOne(endpoints)}&${query}`,
    ],
  ]),
  ['deliveries: a customer', ({ customers }) => `/webhooks/deliveries?customer_id=${pickOne(customers)}`],
  ['deliveries: an event', ({ events }) => `/webhooks/deliveries?event_id=evt_${pickOne(events)}`],
  ['deliveries: a running batch', ({ batch }) => `/webhooks/deliveries?batch_id=rdl_${batch}`],
  ['deliveries: count, a running batch', ({ batch }) => `/webhooks/deliveries/count?batch_id=rdl_${batch}`],
  [
    'deliveries: count, a project with a status',
    ({ project }) => `/webhooks/deliveries/count?project_id=${project}&http_status=500`,
  ],
];
