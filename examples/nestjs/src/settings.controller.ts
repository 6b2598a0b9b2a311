import { Controller, Get } from '@nestjs/common';

/** Returns the settings for the page, which are safe to expose in the browser. */
@Controller()
export class SettingsController {
  @Get('settings')
  get() {
    return { url: process.env['GATEHOUSE_URL'], publishableKey: process.env['GATEHOUSE_PUBLISHABLE_KEY'] };
  }
}
