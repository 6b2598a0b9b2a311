import { Text } from '@mantine/core';
import { Fragment, useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import type { Schemas } from '../http/client';
import { errorLabel, explainAttempt } from './explain-attempt';
import { JsonView } from '../components/json-view';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus } from '../components/status-badge';
import { formatDuration } from '../components/time';
import classes from './timeline.module.css';

type Delivery = Schemas['DeliveryResponse'];
type Attempt = Schemas['AttemptResponse'];

/** Renders a delivery's attempts, with the actual time between them. */
export function DeliveryTimeline({ delivery }: { delivery: Delivery }): ReactNode {
  const { attempts, created_at: createdAt, next_attempt_at: dueAt, state } = delivery;
  const hash = useLocation().hash.slice(1);
  const last = attempts.at(-1);
  const openAttemptId = attempts.some(({ id }) => id === hash) ? hash : last?.id;
  return (
    <ol className={classes.timeline} aria-label="Attempts">
      {attempts.map((attempt, index) => (
        <Fragment key={attempt.id}>
          <li className={classes.gap}>{formatWait(createdAt, attempts[index - 1], attempt)}</li>
          <AttemptItem
            attempt={attempt}
            isOpen={attempt.id === openAttemptId}
            isTarget={attempt.id === hash}
            isSameAsPrevious={hasSameOutcome(attempt, attempts[index - 1])}
          />
        </Fragment>
      ))}
      {state === 'pending' && (
        <li className={`${classes.attempt} ${classes.due}`}>
          <div className={classes.head}>
            <span className={classes.name}>
              {last ? `Attempt ${last.attempt + 1} of ${last.max_attempts}` : 'First attempt'}
            </span>
            <Text c="dimmed">
              {dueAt ? (
                <>
                  due <RelativeTime at={dueAt} />
                </>
              ) : (
                'in progress'
              )}
            </Text>
          </div>
        </li>
      )}
      {state === 'cancelled' && (
        <li className={classes.gap}>
          No further attempts. The delivery was canceled because its{' '}
          {delivery.cancel_reason === 'customer_deleted'
            ? 'customer was deleted'
            : 'endpoint was disabled or deleted'}
          .
        </li>
      )}
    </ol>
  );
}

interface AttemptItemProps {
  attempt: Attempt;
  isOpen: boolean;
  /**
   * True if the URL's fragment identifies this attempt. `:target` is not sufficient, because browsers apply it only to
   * elements that exist when the page loads.
   */
  isTarget: boolean;
  /** True if the previous attempt had the same outcome, so that its explanation is not repeated. */
  isSameAsPrevious: boolean;
}

function AttemptItem({ attempt, isOpen, isTarget, isSameAsPrevious }: AttemptItemProps): ReactNode {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isTarget) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isTarget]);
  const {
    id,
    attempt: attemptNumber,
    max_attempts: maxAttempts,
    http_status: status,
    error,
    success,
    response_body: body,
  } = attempt;
  const explanation = explainAttempt(attempt);
  return (
    <li
      ref={element}
      id={id}
      className={`${classes.attempt} ${success ? classes.good : classes.bad}`}
      data-target={isTarget || undefined}
    >
      <div className={classes.head}>
        <span className={classes.name}>
          Attempt {attemptNumber} of {maxAttempts}
        </span>
        <HttpStatus status={status} error={error && errorLabel(error)} />
        <Text c="dimmed">{formatDuration(attempt.duration_ms)}</Text>
        <span className={classes.when}>
          <RelativeTime at={attempt.created_at} />
        </span>
      </div>
      {explanation && (
        <Text mt={4}>
          <b>{explanation.title}.</b> {!isSameAsPrevious && explanation.text}
        </Text>
      )}
      {body !== '' && (
        <details className={classes.body} open={isOpen}>
          <summary>Response body</summary>
          <JsonView name={`Response to attempt ${attemptNumber}`} value={body} />
        </details>
      )}
    </li>
  );
}

const hasSameOutcome = (one: Attempt, other: Attempt | undefined): boolean =>
  one.error === other?.error && one.http_status === other.http_status;

/**
 * Returns the wait before an attempt. For the first attempt, it begins when the delivery is created; for all others,
 * when the previous attempt ends.
 */
function formatWait(createdAt: string, previous: Attempt | undefined, { created_at: at }: Attempt): string {
  const from = previous ? Date.parse(previous.created_at) + previous.duration_ms : Date.parse(createdAt);
  const waited = formatDuration(Math.max(0, Date.parse(at) - from));
  return previous ? `${waited} later` : `Sent ${waited} after the delivery was created`;
}
