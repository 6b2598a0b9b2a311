import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyTextButton } from './copy-button';
import { downloadText } from './download';
import { Icon } from './icon';

interface OneTimeSecretProps {
  /** The label: "Secret key". */
  name: string;
  value: string;
  /** The variable name in the downloaded file: "GATEHOUSE_SECRET_KEY". If omitted, there is no download. */
  variable?: string;
}

/** Renders a value that is shown only once. It can be copied or downloaded as a .env file. */
export function OneTimeSecret({ name, value, variable }: OneTimeSecretProps): ReactNode {
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Save this value now">
        <Text>
          This value is shown only once and cannot be retrieved later. If you lose it, create a new one.
        </Text>
      </Alert>
      {/* Not a password field, because browsers would offer to save the value. */}
      <TextInput
        label={name}
        value={value}
        readOnly
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Group gap="xs">
        <CopyTextButton value={value} name={name.toLowerCase()} />
        {variable && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="download" size={14} />}
            // Browsers change file names that start with a dot.
            onClick={() => downloadText('gatehouse.env', `${variable}=${value}\n`)}
          >
            Download as .env
          </Button>
        )}
      </Group>
    </Stack>
  );
}
