import { useRef, useState } from 'react';
import { api, data } from '../http/client';
import { useSend } from '../http/queries';
import type { Batch } from '../parts/redelivery-plan';
import { toastProblem } from '../parts/toast';
import type { PlanFilter } from './plan-filter';

interface Plan {
  /** What was found and frozen; null before, and when it is forgotten. */
  made: Batch | null;
  isMaking: boolean;
  make: (filter: PlanFilter) => Promise<void>;
  forget: () => void;
}

/** Plans a batch. Clicks while one is made are not heard: each plan is a record. */
export function usePlan(): Plan {
  const [made, setMade] = useState<Batch | null>(null);
  const isUnderWay = useRef(false);
  const send = useSend(
    async (filter: PlanFilter) =>
      (await data(api.POST('/operator/v1/webhooks/redeliveries', { body: { filter } }))).data,
    '/operator/v1/webhooks/redeliveries',
  );
  return {
    made,
    isMaking: send.isPending,
    make: async (filter) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      try {
        setMade(await send.mutateAsync(filter));
      } catch (error) {
        toastProblem(error);
      } finally {
        isUnderWay.current = false;
      }
    },
    forget: () => setMade(null),
  };
}
