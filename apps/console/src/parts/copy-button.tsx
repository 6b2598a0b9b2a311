import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from './icon';

interface CopyButtonProps {
  value: string;
  /** What is copied: "Copy" and this name the button. */
  name: string;
}

/** A small icon beside a value. */
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

/** A button with words. */
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
