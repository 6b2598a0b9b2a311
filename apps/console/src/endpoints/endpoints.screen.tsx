import { Button, Text } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { Can, useCan } from '../session/roles';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { choiceFilter, projectFilter, textFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { formatPercent } from '../components/format-percent';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { OrganizationName, ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { Badge, StatusBadge } from '../components/status-badge';
import { useUrlDialog } from '../components/use-url-dialog';
import { CreateEndpoint } from './create-endpoint';
import { formatEvents } from './endpoint-events';
import classes from './endpoints.module.css';

type Endpoint = Schemas['OperatorEndpointResponse'];
type FailingEndpoint = Schemas['OverviewEndpoint'];

const filters = {
  q: textFilter('Search', 'Part of name or URL, or ID'),
  status: choiceFilter('Status', {
    enabled: 'Enabled',
    failing: 'Failing for an hour',
    disabled: 'Disabled',
    disabled_failing: 'Disabled (failing)',
  }),
  project_id: projectFilter(),
};

/**
 * Maximum number of failing endpoints in the overview. If the overview contains fewer, it contains all of
 * them.
 */
const MAX_FAILING = 10;

const OTHER_PARAMS = ['create'];

/** The endpoint list. `?create=` opens the form. */
export function EndpointsScreen(): ReactNode {
  const list = useList({
    name: 'endpoints',
    path: '/operator/v1/webhooks/endpoints',
    count: '/operator/v1/webhooks/endpoints/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const renderSuccessRate = useSuccessRates(list.values.project_id ?? '');
  const columns = useMemo(() => endpointColumns(renderSuccessRate), [renderSuccessRate]);
  const canCreate = useCan('admin');
  const create = useUrlDialog('create');
  const addButton = (
    <Can role="admin">
      <Button leftSection={<Icon name="plus" />} onClick={create.open}>
        Add endpoint
      </Button>
    </Can>
  );
  return (
    <Page title="Endpoints" description="URLs that receive your webhook events." actions={addButton}>
      <List
        list={list}
        noun="endpoints"
        columns={columns}
        href={(row) => `/endpoints/${row.id}`}
        empty={{
          title: 'No endpoints yet',
          text: 'Add the URL of a receiver. Then send a test event to check that the receiver responds.',
          action: addButton,
        }}
      />
      <CreateEndpoint
        projectId={list.values.project_id ?? ''}
        isOpen={canCreate && create.isOpen}
        onClose={create.close}
      />
    </Page>
  );
}

function endpointColumns(renderSuccessRate: (endpoint: Endpoint) => ReactNode): Column<Endpoint>[] {
  return [
    {
      header: 'Status',
      status: true,
      width: '8rem',
      cell: (row) =>
        row.disabled_reason === 'failing' ? (
          <Badge tone="bad">Disabled (failing)</Badge>
        ) : (
          <StatusBadge state={row.status} />
        ),
    },
    {
      header: 'Endpoint',
      primary: true,
      truncate: true,
      cell: (row) => (
        <>
          <UntrustedText text={row.name} oneLine />
          <Text component="span" display="block" size="xs" c="dimmed" truncate>
            <UntrustedText text={row.url} oneLine mono />
          </Text>
        </>
      ),
    },
    {
      header: 'Project',
      truncate: true,
      width: '12%',
      cell: (row) => (row.level === 'organization' ? 'All projects' : <ProjectName id={row.project_id} />),
    },
    {
      header: 'Organization',
      truncate: true,
      width: '10%',
      wideOnly: true,
      cell: (row) => <OrganizationName id={row.organization_id} link />,
    },
    {
      header: 'Events',
      cell: (row) => <span className={classes.line}>{formatEvents(row.events)}</span>,
    },
    { header: 'Last 24 hours', align: 'right', cell: renderSuccessRate },
    {
      header: 'Created',
      align: 'right',
      wideOnly: true,
      cell: (row) => <RelativeTime at={row.created_at} />,
    },
  ];
}

/**
 * Returns a function that renders an endpoint's success rate in the last 24 hours. One request covers all endpoints: an
 * endpoint that is not among the failing endpoints has no failures, unless there are more failing endpoints than the
 * overview contains.
 */
function useSuccessRates(projectId: string): (endpoint: Endpoint) => ReactNode {
  const { data } = useGet('/operator/v1/overview', {
    query: { range: '24h', ...(projectId && { projectId }) },
  });
  return useMemo(() => {
    const failing = new Map<string, FailingEndpoint>(
      data?.worstEndpoints.map((endpoint) => [endpoint.endpointId, endpoint]),
    );
    return (endpoint) => {
      const failure = failing.get(endpoint.id);
      if (failure) {
        return (
          <Badge tone={(failure.successRate ?? 0) < 0.5 ? 'bad' : 'warn'}>
            {formatPercent(failure.successRate)} delivered
          </Badge>
        );
      }
      return data && failing.size < MAX_FAILING && endpoint.status === 'enabled' ? 'No failures' : '–';
    };
  }, [data]);
}
