import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useRouteError } from 'react-router';
import { Page } from '../components/page';
import { ProblemAlert } from '../components/problem-alert';

/**
 * Shown if a screen throws or cannot be loaded. After an upgrade, the files of the old screens no longer
 * exist; reloading the page loads the new ones.
 */
export function RouteError(): ReactNode {
  return (
    <Page title="This page could not be displayed">
      <ProblemAlert error={useRouteError()} onRetry={() => window.location.reload()} />
    </Page>
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
