import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ActionDialog } from './action-dialog';

interface DangerActionProps {
  title: string;
  /** Description of the effects, and whether they can be undone. */
  description: string;
  confirmLabel: string;
  requiresReason?: 'required' | 'optional';
  /** Text that must be typed to confirm. */
  confirmationText?: string;
  onConfirm: (reason: string) => Promise<unknown>;
}

/** Renders the section for destructive actions on a page. */
export function DangerZone({ children }: { children: ReactNode }): ReactNode {
  return (
    <Paper component="section" aria-label="Danger zone" style={{ borderColor: 'var(--bad-line)' }}>
      <Title order={2} mb="sm">
        Danger zone
      </Title>
      <Stack gap="md">{children}</Stack>
    </Paper>
  );
}

/** Renders a destructive action in the danger zone. */
export function DangerAction({
  title,
  description,
  confirmLabel,
  requiresReason,
  confirmationText,
  onConfirm,
}: DangerActionProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Group justify="space-between" wrap="wrap">
      <div style={{ flex: '1 1 16rem' }}>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed">{description}</Text>
      </div>
      <Button variant="outline" color="red" onClick={() => setOpen(true)}>
        {confirmLabel}
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        confirmLabel={confirmLabel}
        danger
        requiresReason={requiresReason}
        confirmationText={confirmationText}
        onConfirm={onConfirm}
      >
        <Text>{description}</Text>
      </ActionDialog>
    </Group>
  );
}
