import { invalidField, type ProjectContext } from '#domain';

/** @throws GatehouseError `validation_failed` when a page asks to be led to where its project does not lead */
export function assertRedirectUrl({ settings }: ProjectContext, redirectUrl: string | undefined): void {
  if (redirectUrl !== undefined && !settings.redirectUrls.includes(redirectUrl)) {
    throw invalidField(
      'redirectUrl',
      'not_allowed',
      "redirectUrl must exactly match an entry of the project's redirectUrls",
    );
  }
}
