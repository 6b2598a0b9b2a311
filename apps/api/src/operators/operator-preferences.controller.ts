import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Operator, type OperatorCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { camelList } from '../http/lists/paging.js';
import {
  CreateSavedViewRequest,
  UpdatePreferencesRequest,
  UpdateSavedViewRequest,
} from './dto/operator-preferences.request.js';
import { PreferencesResponse, SavedViewResponse } from './dto/operator-preferences.response.js';
import { OperatorPreferencesService } from './operator-preferences.service.js';

@ApiTags('Operators')
@Controller('operator/v1/session')
export class OperatorPreferencesController {
  constructor(private readonly preferences: OperatorPreferencesService) {}

  @Patch('preferences')
  @ApiOperation({
    operationId: 'session.updatePreferences',
    summary: 'Update your preferences',
    description: 'Changes how the console shows data to you. The current session contains your preferences.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: PreferencesResponse })
  async update(
    @CurrentCaller() caller: OperatorCaller,
    @Body() body: UpdatePreferencesRequest,
  ): Promise<PreferencesResponse> {
    return PreferencesResponse.from(await this.preferences.update(caller, body));
  }

  @Get('views')
  @ApiOperation({
    operationId: 'session.listViews',
    summary: 'List your saved views',
    description: 'Oldest first, all on one page.',
  })
  @Operator('viewer')
  @ApiCamelList(SavedViewResponse)
  async listViews(@CurrentCaller() caller: OperatorCaller) {
    const views = await this.preferences.listViews(caller);
    return camelList(
      views.map((view) => SavedViewResponse.from(view)),
      null,
    );
  }

  @Post('views')
  @ApiOperation({ operationId: 'session.createView', summary: 'Create a saved view' })
  @Operator('viewer')
  @ApiCreatedResponse({ type: SavedViewResponse })
  @ApiProblems('too_many_saved_views')
  async createView(
    @CurrentCaller() caller: OperatorCaller,
    @Body() { list, name, query }: CreateSavedViewRequest,
  ): Promise<SavedViewResponse> {
    return SavedViewResponse.from(await this.preferences.createView(caller, { list, name, query }));
  }

  @Patch('views/:viewId')
  @ApiOperation({ operationId: 'session.updateView', summary: 'Update a saved view' })
  @Operator('viewer')
  @ApiOkResponse({ type: SavedViewResponse })
  async updateView(
    @CurrentCaller() caller: OperatorCaller,
    @Param('viewId') id: string,
    @Body() body: UpdateSavedViewRequest,
  ): Promise<SavedViewResponse> {
    return SavedViewResponse.from(await this.preferences.updateView(caller, parsePathUuid(id), body));
  }

  @Delete('views/:viewId')
  @ApiOperation({ operationId: 'session.deleteView', summary: 'Delete a saved view' })
  @HttpCode(204)
  @Operator('viewer')
  @ApiNoContentResponse()
  deleteView(@CurrentCaller() caller: OperatorCaller, @Param('viewId') id: string): Promise<void> {
    return this.preferences.deleteView(caller, parsePathUuid(id));
  }
}
