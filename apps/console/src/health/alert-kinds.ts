import type { Schemas } from '../http/client';

export const alertKindLabels: Record<Schemas['AlertResponse']['kind'], string> = {
  dead_letters: 'Dead letters',
  overdue_deliveries: 'Overdue deliveries',
  disabled_endpoints: 'Disabled endpoints',
  mail_delivery_failing: 'Email delivery failing',
  dropped_emails: 'Dropped emails',
  guessed_email_codes: 'Guessed email codes',
  clock_skew: 'Clock skew',
  two_writable_hosts: 'Two writable database hosts',
  test: 'Test alert',
};
