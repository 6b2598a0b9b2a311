import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Can } from '../session/roles';
import { RelativeTime } from '../components/relative-time';
import { showInvisible } from '../components/visible-text';

interface SignInMethodRowProps {
  /** The row's accessible name. */
  name: string;
  /** The verb for `createdAt`, such as "Added". */
  added: string;
  createdAt: string;
  lastUsedAt: string | null;
  removeLabel: string;
  onRemove: () => void;
  children: ReactNode;
}

/** Renders a customer's sign-in method, with its times and a button that removes it. */
export function SignInMethodRow(props: SignInMethodRowProps): ReactNode {
  const { name, added, createdAt, lastUsedAt, removeLabel, onRemove, children } = props;
  return (
    <Group
      component="section"
      aria-label={showInvisible(name)}
      justify="space-between"
      gap="xs"
      wrap="nowrap"
    >
      <div style={{ minWidth: 0 }}>
        <Text component="div">{children}</Text>
        <Text size="xs" c="dimmed">
          {added} <RelativeTime at={createdAt} /> · {lastUsedAt && 'Last used '}
          <RelativeTime at={lastUsedAt} fallback="Never used" />
        </Text>
      </div>
      <Can role="operator">
        <Button
          variant="subtle"
          size="compact-xs"
          color="red.8"
          c="var(--bad)"
          style={{ flexShrink: 0 }}
          aria-label={showInvisible(removeLabel)}
          onClick={onRemove}
        >
          Remove
        </Button>
      </Can>
    </Group>
  );
}
