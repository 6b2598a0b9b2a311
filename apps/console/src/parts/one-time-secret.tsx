import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyTextButton } from './copy-button';
import { downloadText } from './download';
import { Icon } from './icon';

interface OneTimeSecretProps {
  /** What it is: "Secret key". */
  name: string;
  value: string;
  /** The variable under which it is downloaded: "GATEHOUSE_SECRET_KEY"; without it there is no download. */
  variable?: string;
}

/** A value that is shown this once: to be seen, copied, or downloaded as a .env file. */
export function OneTimeSecret({ name, value, variable }: OneTimeSecretProps): ReactNode {
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Save this value now">
        <Text>
          This value is shown only once and cannot be retrieved later. If you lose it, create a new one.
        </Text>
      </Alert>
      {/* No password field: browsers would offer to keep it. */}
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
            // Browsers give a name that begins with a dot another one.
            onClick={() => downloadText('gatehouse.env', `${variable}=${value}\n`)}
          >
            Download as .env
          </Button>
        )}
      </Group>
    </Stack>
  );
}
