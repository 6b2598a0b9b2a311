import { Alert, Anchor, Button, Container, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useRouteError } from 'react-router';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { UntrustedText } from '../components/untrusted-text';
import { ScreenLoadError } from './lazy-screen';

/** Shown instead of a screen that throws or cannot be loaded. */
export function RouteError(): ReactNode {
  const error = useRouteError();
  const isLoadError = error instanceof ScreenLoadError;
  return (
    <Page title={isLoadError ? 'This page could not be loaded' : 'This page could not be displayed'}>
      <Alert role="alert" color="red" icon={<Icon name="alert" size={20} />}>
        <Text>
          {isLoadError ? (
            'Check that you are online and that Gatehouse is running, then reload the page.'
          ) : (
            <>
              Unexpected error in the console: <UntrustedText text={String(error)} />
            </>
          )}
        </Text>
        <Button
          size="xs"
          variant="default"
          mt="sm"
          leftSection={<Icon name="refresh" />}
          onClick={() => window.location.reload()}
        >
          Reload
        </Button>
      </Alert>
    </Page>
  );
}

/** Shown for an error outside the shell, such as on the sign-in page. */
export function PageError(): ReactNode {
  return (
    <Container size="xs" pt="20vh">
      <RouteError />
    </Container>
  );
}

export function NotFound(): ReactNode {
  return (
    <Page title="Page not found">
      <Text>
        There is no page at this address.{' '}
        <Anchor component={Link} to="/">
          Go to Overview
        </Anchor>
      </Text>
    </Page>
  );
}
