import { Alert, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { CompareSwitch, comparison } from '../charts/compare-switch';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { PageTabs } from '../components/page-tabs';
import { ProjectSelect } from '../components/record-select';
import { presets } from '../components/time-range';
import { IdentityOverview } from './identity-overview';
import classes from './overview.module.css';
import { useOverviewParams } from './use-overview-params';
import { WebhookOverview } from './webhook-overview';

export function OverviewScreen(): ReactNode {
  const { range, project, isCompared, invalidRange, setParam } = useOverviewParams();
  const selection = { range, project, isCompared };
  return (
    <Page
      title="Overview"
      actions={
        <search aria-label="Filters" className={classes.filters}>
          <CompareSwitch isCompared={isCompared} onChange={(value) => setParam(comparison.name, value)} />
          <ProjectSelect value={project} onChange={(id) => setParam('project', id)} />
          <SegmentedControl
            aria-label="Time range"
            value={invalidRange === null ? range : ''}
            onChange={(value) => setParam('range', value)}
            data={Object.entries(presets).map(([value, { label }]) => ({
              value,
              label: <span aria-label={label}>{value}</span>,
            }))}
          />
        </search>
      }
    >
      {invalidRange !== null ? (
        <Alert color="gray" icon={<Icon name="info" size={18} />} title="Invalid time range">
          “{invalidRange}” is not a valid time range. Select one above.
        </Alert>
      ) : (
        <PageTabs
          label="Metrics"
          sharedParameters={['range', 'project', comparison.name]}
          tabs={{
            webhooks: {
              label: 'Webhooks',
              panel: () => <WebhookOverview {...selection} />,
            },
            identity: {
              label: 'Identity',
              panel: () => <IdentityOverview {...selection} />,
            },
          }}
        />
      )}
    </Page>
  );
}
