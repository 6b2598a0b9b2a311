import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from './icon';

interface CopyButtonProps {
  value: string;
  /** Name of the copied value, for the button label: "Copy" followed by the name. */
  name: string;
}

/** Renders an icon button that copies a value. */
export function CopyButton({ value, name }: CopyButtonProps): ReactNode {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${name}`}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'green' : 'gray'}
        size="sm"
        aria-label={copied ? 'Copied' : `Copy ${name}`}
        onClick={(event) => {
          event.preventDefault();
          event.stopPropagation();
          copy(value);
        }}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Renders a button with a text label that copies a value. */
export function CopyTextButton({ value, name }: CopyButtonProps): ReactNode {
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
      onClick={() => copy(value)}
    >
      {copied ? 'Copied' : `Copy ${name}`}
    </Button>
  );
}
