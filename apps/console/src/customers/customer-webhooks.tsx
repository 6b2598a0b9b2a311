import type { ReactNode } from 'react';
import { deliveryColumns, summaryColumns } from '../deliveries/delivery-columns';
import { deliveryStateFilter, statusClassFilter } from '../deliveries/delivery-filters';
import { timeFilter } from '../lists/filters';
import { List } from '../lists/list';
import { useList } from '../lists/use-list';

const filters = {
  state: deliveryStateFilter('Status'),
  status_class: statusClassFilter('Last response'),
  time: timeFilter('Time', 'created_after', 'created_before'),
};

const { event, endpoint, state, nextAttempt, createdAt } = summaryColumns;
const { response, attempts } = deliveryColumns;
const columns = [state, event, endpoint, response, attempts, nextAttempt, createdAt];

/** Lists the deliveries for events about a customer. */
export function CustomerDeliveries({ customerId }: { customerId: string }): ReactNode {
  const list = useList({
    path: '/operator/v1/webhooks/deliveries',
    count: '/operator/v1/webhooks/deliveries/count',
    filters,
    fixedQuery: { customer_id: customerId },
  });
  return (
    <List
      list={list}
      noun="deliveries"
      columns={columns}
      href={(row) => `/deliveries/${row.id}`}
      live
      empty={{
        title: 'No deliveries',
        text: 'No events about this customer were sent to an endpoint, or the deliveries were deleted by retention.',
      }}
    />
  );
}
