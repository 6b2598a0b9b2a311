import { useRef, useState } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import type { Batch } from '../batches/redelivery-batch';
import { toastError } from '../components/toast';
import type { PlanFilter } from './plan-filter';

interface RedeliveryPlan {
  /** The created plan; null before `create` and after `reset`. The plan's deliveries no longer change. */
  plan: Batch | null;
  isCreating: boolean;
  create: (filter: PlanFilter) => Promise<void>;
  reset: () => void;
}

/** Creates a batch plan. Ignores calls while a plan is being created, because each plan is a stored record. */
export function useRedeliveryPlan(): RedeliveryPlan {
  const [plan, setPlan] = useState<Batch | null>(null);
  const isInFlight = useRef(false);
  const send = useApiMutation(
    async (filter: PlanFilter) =>
      (await unwrap(api.POST('/operator/v1/webhooks/redeliveries', { body: { filter } }))).data,
    '/operator/v1/webhooks/redeliveries',
  );
  return {
    plan,
    isCreating: send.isPending,
    create: async (filter) => {
      if (isInFlight.current) return;
      isInFlight.current = true;
      try {
        setPlan(await send.mutateAsync(filter));
      } catch (error) {
        toastError(error);
      } finally {
        isInFlight.current = false;
      }
    },
    reset: () => setPlan(null),
  };
}
