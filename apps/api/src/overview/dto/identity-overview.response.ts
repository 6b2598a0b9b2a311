import { ApiProperty } from '@nestjs/swagger';
import {
  ACTIVE_CUSTOMER_DAYS,
  overviewRanges,
  signInFailureReasons,
  signInMethods,
  type Bucket,
  type IdentityMetric,
  type OverviewRange,
  type SignInFailureReason,
  type SignInMethod,
} from '@gatehouse/domain';
import type { IdentityCounts } from '@gatehouse/persistence';
import {
  bucketLengthSchema,
  bucketTime,
  countSchema as count,
  previousPeriodSchema,
  rangeEndSchema,
  rangeStartSchema,
  timeSchema as time,
} from '../../webhooks/dto/metrics.fields.js';
import type { IdentityOverview } from '../overview.service.js';

const customers = {
  ...count,
  nullable: true,
  description: `Customers who are not disabled and have signed in within ${ACTIVE_CUSTOMER_DAYS} days, counted once an hour. Null if they were not counted, as in buckets of less than two hours`,
} as const;
const customersWithFactor = {
  ...count,
  nullable: true,
  description: 'Active customers who have an authenticator app or a passkey. Null if they were not counted',
} as const;

/** Returns the totals and the data points for the buckets. */
function summarize(buckets: Bucket[], series: IdentityCounts['series']): IdentityPrevious {
  const counts = new Map(series.map(({ at, metric, count: value }) => [`${at} ${metric}`, value]));
  const countAt = (at: number, metric: IdentityMetric): number | null =>
    counts.get(`${at} ${metric}`) ?? null;
  return {
    totals: countersFrom((metric) => buckets.reduce((sum, { at }) => sum + (countAt(at, metric) ?? 0), 0)),
    series: buckets.map(({ at }) => ({
      at: bucketTime(at),
      ...countersFrom((metric) => countAt(at, metric) ?? 0),
      activeCustomers: countAt(at, 'customers'),
      activeCustomersWithFactor: countAt(at, 'customers_with_factor'),
    })),
  };
}

/** Returns the totals and the data points for the previous period, or null if no event was counted in it. */
function summarizePrevious({ previousBuckets, previous }: IdentityOverview): IdentityPrevious | null {
  const summary = previous && summarize(previousBuckets, previous);
  return summary && Object.values(summary.totals).some((total) => total > 0) ? summary : null;
}

/** Creates the identity counters with a function that returns the count for a metric. */
const countersFrom = (countOf: (metric: IdentityMetric) => number): IdentityTotals => ({
  signUps: countOf('sign_up'),
  signIns: countOf('sign_in'),
  signInsWithSecondFactor: countOf('second_factor'),
  failedSignIns: countOf('failure'),
  lockouts: countOf('lockout'),
});

export class IdentityTotals {
  @ApiProperty({ ...count, description: 'Events `customer.created`' }) signUps!: number;
  @ApiProperty({ ...count, description: 'Events `login.succeeded`' }) signIns!: number;
  @ApiProperty({ ...count, description: 'Sign-ins with a second factor or a passkey' })
  signInsWithSecondFactor!: number;
  @ApiProperty({ ...count, description: 'Events `login.failed`' }) failedSignIns!: number;
  @ApiProperty({ ...count, description: 'Events `customer.locked`' }) lockouts!: number;
}

export class IdentityPoint extends IdentityTotals {
  @ApiProperty({ ...time, description: 'Start of the bucket' }) at!: string;
  @ApiProperty(customers) activeCustomers!: number | null;
  @ApiProperty(customersWithFactor) activeCustomersWithFactor!: number | null;
}

/** Sign-ups, sign-ins and failures in the previous period. */
export class IdentityPrevious {
  @ApiProperty({ type: IdentityTotals }) totals!: IdentityTotals;
  @ApiProperty({ type: [IdentityPoint] }) series!: IdentityPoint[];
}

export class SignInsByMethod {
  @ApiProperty({ enum: signInMethods, description: 'First factor' }) method!: SignInMethod;
  @ApiProperty(count) count!: number;
}

export class SignInsByProvider {
  @ApiProperty({ description: 'Slug of the identity provider', example: 'google' }) provider!: string;
  @ApiProperty(count) count!: number;
}

export class FailedSignInsByReason {
  @ApiProperty({ enum: [...signInFailureReasons, 'other'] }) reason!: SignInFailureReason | 'other';
  @ApiProperty(count) count!: number;
}

/** Sign-ups, sign-ins and failures in a range. */
export class IdentityOverviewResponse {
  @ApiProperty({ enum: overviewRanges }) range!: OverviewRange;
  @ApiProperty(rangeStartSchema) from!: string;
  @ApiProperty(rangeEndSchema('events'))
  to!: string;

  @ApiProperty({ description: 'False if the workers have not counted all events yet' }) isComplete!: boolean;
  @ApiProperty(bucketLengthSchema)
  bucketSeconds!: number;
  @ApiProperty({ type: IdentityTotals }) totals!: IdentityTotals;
  @ApiProperty({ ...customers, description: `Latest count. ${customers.description}` })
  activeCustomers!: number | null;
  @ApiProperty(customersWithFactor) activeCustomersWithFactor!: number | null;
  @ApiProperty({ type: [IdentityPoint], description: 'All buckets, including those without events' })
  series!: IdentityPoint[];

  @ApiProperty({ type: IdentityPrevious, ...previousPeriodSchema }) previous!: IdentityPrevious | null;

  @ApiProperty({ type: [SignInsByMethod] }) byMethod!: SignInsByMethod[];
  @ApiProperty({ type: [SignInsByProvider], description: 'Providers with the most sign-ins, at most ten' })
  byProvider!: SignInsByProvider[];
  @ApiProperty({ type: [FailedSignInsByReason] }) byReason!: FailedSignInsByReason[];

  static from(overview: IdentityOverview): IdentityOverviewResponse {
    const { range, to, isComplete, buckets, series, labels } = overview;
    const labelsOf = (metric: IdentityMetric) => labels.filter((each) => each.metric === metric);
    return {
      range,
      from: bucketTime(buckets[0]!.at),
      to: to.toISOString(),
      isComplete,
      bucketSeconds: buckets[0]!.span,
      ...summarize(buckets, series),
      activeCustomers: overview.customers,
      activeCustomersWithFactor: overview.customersWithFactor,
      previous: summarizePrevious(overview),
      byMethod: labelsOf('sign_in').map((each) => ({
        method: each.label as SignInMethod,
        count: each.count,
      })),
      byProvider: labelsOf('provider').map((each) => ({ provider: each.label, count: each.count })),
      byReason: labelsOf('failure').map((each) => ({
        reason: each.label as SignInFailureReason | 'other',
        count: each.count,
      })),
    };
  }
}
