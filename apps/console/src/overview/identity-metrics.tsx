import type { ReactNode } from 'react';
import { changeRenderer } from '../charts/change';
import type { Improvement } from '../charts/describe-change';
import { formatInteger } from '../charts/scale';
import { formatPercent } from '../components/format-percent';
import type { Schemas } from '../http/client';
import { listPath } from '../lists/list-path';
import { eventsPath } from './identity-charts';
import { MetricCard } from './overview-metrics';
import classes from './overview.module.css';

interface IdentityMetricsProps {
  identity: Schemas['IdentityOverviewResponse'];
  project: string;
  isCompared: boolean;
}

/** Renders the key identity metrics, with links to the records that they count. */
export function IdentityMetrics({ identity, project, isCompared }: IdentityMetricsProps): ReactNode {
  const { range, totals, activeCustomers, activeCustomersWithFactor } = identity;
  const renderChange = changeRenderer(isCompared, totals, identity.previous?.totals);
  const change = (name: keyof typeof totals, improvement: Improvement): ReactNode =>
    renderChange((each) => each[name], formatInteger, improvement);
  const attempts = totals.signIns + totals.failedSignIns;
  return (
    <div className={classes.metrics}>
      <MetricCard
        name="Sign-ups"
        value={formatInteger(totals.signUps)}
        note="Customers created"
        change={change('signUps', 'more')}
        to={listPath('/customers', { created: range, projectId: project })}
      />
      <MetricCard
        name="Sign-ins"
        value={formatInteger(totals.signIns)}
        note={`${formatInteger(totals.signInsWithSecondFactor)} with a second factor`}
        change={change('signIns', 'more')}
        to={eventsPath('login.succeeded', range, project)}
      />
      <MetricCard
        name="Failed sign-ins"
        value={formatInteger(totals.failedSignIns)}
        note={attempts > 0 ? `${formatPercent(totals.failedSignIns / attempts)} of all` : undefined}
        change={change('failedSignIns', 'less')}
        to={eventsPath('login.failed', range, project)}
      />
      <MetricCard
        name="Lockouts"
        value={formatInteger(totals.lockouts)}
        tone={totals.lockouts > 0 ? 'warn' : undefined}
        note={totals.lockouts > 0 ? 'Customers locked' : 'None in this period'}
        change={change('lockouts', 'less')}
        to={eventsPath('customer.locked', range, project)}
      />
      <MetricCard
        name="Customers with a factor"
        value={formatPercent(activeCustomers ? (activeCustomersWithFactor ?? 0) / activeCustomers : null)}
        note={
          activeCustomers === null
            ? 'Counted once an hour'
            : `${formatInteger(activeCustomersWithFactor ?? 0)} of ${formatInteger(activeCustomers)} active`
        }
        to={listPath('/customers', { login: '30d', disabled: 'false', projectId: project })}
      />
    </div>
  );
}
