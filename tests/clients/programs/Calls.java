import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

/** Five calls: the caller, a glossary made, read and deleted, built-in voices. */
public class Calls {
	public static void main(String[] args) throws Exception {
		ApiClient client = new ApiClient();
		client.setBasePath(System.getenv("BASE_URL"));
		client.setBearerToken(System.getenv("API_KEY"));
		GlossariesApi glossaries = new GlossariesApi(client);

		new KeysApi(client).getCaller(null);
		CreateGlossaryRequest body = CreateGlossaryRequest.fromJson("{\"data\":{\"name\":\"Java terms\","
			+ "\"glossary_type\":\"translation\",\"source_lang\":\"en\",\"target_lang\":\"es\"}}");
		UUID id = glossaries.createGlossary(body, null, null, null).getData().getGlossaryId();
		if (!glossaries.getGlossary(id, null, null).getData().getName().equals("Java terms"))
			throw new Exception("another name");
		new VoicesApi(client).listBuiltinVoices(null, null, null, null, null, null, null, null, null, null, null);
		glossaries.deleteGlossary(id, null, null);
	}
}
