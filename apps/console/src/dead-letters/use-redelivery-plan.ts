import { useRef, useState } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import type { Batch } from '../parts/redelivery-batch';
import { toastError } from '../parts/toast';
import type { PlanFilter } from './plan-filter';

interface RedeliveryPlan {
  /** What was found and frozen; null before, and when it is forgotten. */
  plan: Batch | null;
  isCreating: boolean;
  create: (filter: PlanFilter) => Promise<void>;
  reset: () => void;
}

/** Plans a batch. Clicks while one is made are not heard: each plan is a record. */
export function useRedeliveryPlan(): RedeliveryPlan {
  const [made, setMade] = useState<Batch | null>(null);
  const isUnderWay = useRef(false);
  const send = useApiMutation(
    async (filter: PlanFilter) =>
      (await unwrap(api.POST('/operator/v1/webhooks/redeliveries', { body: { filter } }))).data,
    '/operator/v1/webhooks/redeliveries',
  );
  return {
    plan: made,
    isCreating: send.isPending,
    create: async (filter) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      try {
        setMade(await send.mutateAsync(filter));
      } catch (error) {
        toastError(error);
      } finally {
        isUnderWay.current = false;
      }
    },
    reset: () => setMade(null),
  };
}
