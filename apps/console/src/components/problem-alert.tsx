import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { toProblem } from '../http/problem';
import { Icon } from './icon';
import { formatWait } from './time';
import { useTimeZone } from './use-time-zone';

interface ProblemAlertProps {
  error: unknown;
  /** Text after the error description. */
  note?: ReactNode;
  /** Shows the button "Try again". */
  onRetry?: () => void;
  /** Additional actions. */
  children?: ReactNode;
}

/** Renders an error with its request ID, which identifies the request in the log. */
export function ProblemAlert({ error, note, onRetry, children }: ProblemAlertProps): ReactNode {
  const zone = useTimeZone();
  const { title, detail, requestId, fields, retryAfter } = toProblem(error);
  const fieldErrors = Object.entries(fields);
  return (
    <Alert role="alert" color="red" icon={<Icon name="alert" size={20} />} title={title}>
      {fieldErrors.length === 0 && <Text>{detail}</Text>}
      {note && <Text mt={4}>{note}</Text>}
      {retryAfter && <Text mt={4}>Try again {formatWait(retryAfter, Date.now(), zone)}.</Text>}
      {fieldErrors.length > 0 && (
        <ul>
          {fieldErrors.map(([field, message]) => (
            <li key={field}>{`${field}: ${message}`}</li>
          ))}
        </ul>
      )}
      {requestId && (
        <Text size="xs" c="dimmed" mt={4}>
          Request ID: {requestId}
        </Text>
      )}
      {(onRetry || children) && (
        <Group gap="xs" mt="sm">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry} leftSection={<Icon name="refresh" />}>
              Try again
            </Button>
          )}
          {children}
        </Group>
      )}
    </Alert>
  );
}
